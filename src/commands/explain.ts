import { Option } from 'commander'
import type { Define } from '../cli/command.ts'
import type { CommandContext } from '../cli/context.ts'
import { type ExitCode, exitCodes } from '../cli/exitCodes.ts'
import { optionsHelp } from '../cli/optionsHelp.ts'
import { colourOf, textWidth, writeFileTo } from '../cli/terminal.ts'
import { UsageError } from '../cli/usageError.ts'
import { findingGroups, isCode } from '../diagnostics/catalogue.ts'
import { explanationOf } from '../diagnostics/explanation.ts'
import { nearest } from '../diagnostics/nearest.ts'
import { explainJson } from '../output/explain/explainJson.ts'
import { findingMarkdown, listMarkdown, settingMarkdown } from '../output/explain/explainMarkdown.ts'
import { findingText, listText, settingText } from '../output/explain/explainText.ts'
import { type Layout, layoutFor } from '../output/explain/layout.ts'
import { settingGroups, settingNames, settingsNamed } from '../output/explain/settings.ts'

export const explainCommand: Define = (made, { context, done }) =>
  made
    .argument('[name]', 'code of a finding, or name of an option or another setting')
    .addOption(new Option('--format <format>', 'output format').choices(explainFormats).default('text'))
    .note(optionsHelp)
    .action(async (name: string | undefined, { format }: { format: ExplainFormat }) =>
      done(await explain({ context, name, format })),
    )

const explainFormats = ['text', 'markdown', 'json'] as const

type ExplainFormat = (typeof explainFormats)[number]

type Explained = Parameters<typeof explainJson>[0]

const allCodes = findingGroups.flatMap(({ codes }) => codes)

const everything = (): Explained => ({
  findings: allCodes.map(explanationOf),
  settings: settingGroups.flatMap(({ settings }) => settings),
})

/** Finds a finding or settings by name. Throws a `UsageError` for an unknown name. */
function explained(name: string): Explained {
  const found = {
    findings: isCode(name) ? [explanationOf(name)] : [],
    settings: settingsNamed(name),
  }
  if (found.findings.length + found.settings.length > 0) return found
  const near = nearest(name, [...allCodes, ...settingNames])
  throw new UsageError(
    // What is typed may hold anything; JSON shows control characters instead of sending them to the terminal.
    `no finding or setting is named ${JSON.stringify(name)}`,
    near === undefined ? 'List all of them with: muster explain' : `Did you mean ${near}?`,
  )
}

const textOf = ({ findings, settings }: Explained, layout: Layout): string =>
  [
    ...findings.map((finding) => findingText(finding, layout)),
    ...settings.map((setting) => settingText(setting, layout)),
  ].join('\n\n')

const markdownOf = ({ findings, settings }: Explained): string =>
  [...findings.map(findingMarkdown), ...settings.map(settingMarkdown)].join('\n')

/** Explains a finding or a setting by its name; without a name, lists all of them. Throws `UsageError`. */
export async function explain(options: {
  readonly context: CommandContext
  readonly name: string | undefined
  readonly format: ExplainFormat
}): Promise<ExitCode> {
  const { context, name, format } = options
  const { stdout } = context
  const layout = layoutFor({ width: textWidth(stdout), colour: colourOf(context, stdout) })
  const asked = name === undefined ? undefined : explained(name)
  if (format === 'json') stdout.write(explainJson(asked ?? everything()))
  else if (format === 'markdown')
    writeFileTo(stdout, asked === undefined ? listMarkdown() : markdownOf(asked))
  else stdout.write(asked === undefined ? listText(layout) : textOf(asked, layout))
  return exitCodes.ok
}
