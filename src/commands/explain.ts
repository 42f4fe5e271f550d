import { Option } from 'commander'
import type { Define } from '../cli/command.ts'
import type { CommandContext } from '../cli/context.ts'
import { type ExitCode, exitCodes } from '../cli/exitCodes.ts'
import { optionsHelp } from '../cli/optionsHelp.ts'
import { colourOf, textWidth, writeFileTo } from '../cli/terminal.ts'
import { UsageError } from '../cli/usageError.ts'
import { findingGroups, isCode } from '../diagnostics/codes.ts'
import { explanationOf } from '../diagnostics/explanation.ts'
import { explainFailureCode, failureCodes, failureNamed } from '../diagnostics/failures.ts'
import { nearest } from '../diagnostics/nearest.ts'
import { type CallExplanation, callsNamed } from '../output/explain/calls.ts'
import { explainJson } from '../output/explain/explainJson.ts'
import {
  callMarkdown,
  failureMarkdown,
  findingMarkdown,
  listMarkdown,
  sectionMarkdown,
  settingMarkdown,
} from '../output/explain/explainMarkdown.ts'
import {
  callText,
  failureText,
  findingText,
  listText,
  sectionText,
  settingText,
} from '../output/explain/explainText.ts'
import { type Layout, layoutFor } from '../output/explain/layout.ts'
import {
  type Section,
  sectionNames,
  sectionsNamed,
  settingGroups,
  settingNames,
  settingsNamed,
} from '../output/explain/settings.ts'

export const explainCommand: Define = (made, { context, done }) =>
  made
    .argument(
      '[name]',
      'code of a finding or a failure, name of an option, another setting or a section of the file, or path of a call ' +
        'of the APIs, such as metrics',
    )
    .addOption(new Option('--format <format>', 'output format').choices(explainFormats).default('text'))
    .note(optionsHelp)
    .action(async (name: string | undefined, { format }: { format: ExplainFormat }) =>
      done(await explain({ context, name, format })),
    )

const explainFormats = ['text', 'markdown', 'json'] as const

type ExplainFormat = (typeof explainFormats)[number]

type Explained = Parameters<typeof explainJson>[0] & {
  readonly sections: readonly Section[]
  readonly calls: readonly CallExplanation[]
}

const allCodes = findingGroups.flatMap(({ codes }) => codes)

const everything = (): Explained => ({
  findings: allCodes.map(explanationOf),
  failures: failureCodes.map(explainFailureCode),
  settings: settingGroups.flatMap(({ settings }) => settings),
  sections: [],
  calls: [],
})

/** Adds the settings of sections to the others: data needs no list beside them. */
const withSections = ({ settings, sections, ...others }: Explained): Explained => {
  const inSections = sections.flatMap(({ groups }) => groups.flatMap((group) => group.settings))
  return { ...others, settings: [...settings, ...inSections], sections }
}

/** Finds a finding, a failure, settings or a section of the file by name, or calls of the APIs by their path. Throws a `UsageError` for an unknown name. */
function explained(name: string): Explained {
  const failure = failureNamed(name)
  const found = {
    findings: isCode(name) ? [explanationOf(name)] : [],
    failures: failure === undefined ? [] : [failure],
    settings: settingsNamed(name),
    sections: sectionsNamed(name),
    calls: callsNamed(name),
  }
  if (Object.values(found).some((of) => of.length > 0)) return found
  const near = nearest(name, [...allCodes, ...failureCodes, ...settingNames, ...sectionNames])
  throw new UsageError(
    // What is typed may hold anything; JSON shows control characters instead of sending them to the terminal.
    `no finding, failure, setting, section or call is named ${JSON.stringify(name)}`,
    near === undefined ? 'List all of them with: muster explain' : `Did you mean ${near}?`,
  )
}

const textOf = ({ findings, failures, settings, sections, calls }: Explained, layout: Layout): string =>
  [
    ...findings.map((finding) => findingText(finding, layout)),
    ...failures.map((failure) => failureText(failure, layout)),
    ...settings.map((setting) => settingText(setting, layout)),
    ...sections.map((section) => sectionText(section, layout)),
    ...calls.map((call) => callText(call, layout)),
  ].join('\n\n')

const markdownOf = ({ findings, failures, settings, sections, calls }: Explained): string =>
  [
    ...findings.map(findingMarkdown),
    ...failures.map(failureMarkdown),
    ...settings.map(settingMarkdown),
    ...sections.map(sectionMarkdown),
    ...calls.map(callMarkdown),
  ].join('\n')

/** Explains a finding, a failure, a setting, a section of the file or a call of the APIs by its name; without a name, lists all of them. Throws `UsageError`. */
export async function explain(options: {
  readonly context: CommandContext
  readonly name: string | undefined
  readonly format: ExplainFormat
}): Promise<ExitCode> {
  const { context, name, format } = options
  const { stdout } = context
  const layout = layoutFor({ width: textWidth(stdout), colour: colourOf(context, stdout) })
  const asked = name === undefined ? undefined : explained(name)
  if (format === 'json') stdout.write(explainJson(asked === undefined ? everything() : withSections(asked)))
  else if (format === 'markdown')
    writeFileTo(stdout, asked === undefined ? listMarkdown() : markdownOf(asked))
  else stdout.write(asked === undefined ? listText(layout) : textOf(asked, layout))
  return exitCodes.ok
}
