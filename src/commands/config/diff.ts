import type { Define } from '../../cli/command.ts'
import type { CommandContext } from '../../cli/context.ts'
import { type ExitCode, exitCodes } from '../../cli/exitCodes.ts'
import { colourOf, writeDataTo } from '../../cli/terminal.ts'
import { UsageError } from '../../cli/usageError.ts'
import { compareDescriptions, isSame } from '../../config/describe/compare.ts'
import { diffJson, diffText } from '../../output/config/diff.ts'
import { hostOption } from '../../session/clusterOptions.ts'
import { describeFiles, describeFormatOption, describeGiven, hostFilter } from './describeFiles.ts'

export const configDiffCommand: Define = (made, { context, done }) =>
  describeFormatOption(
    hostOption(
      made
        .argument('<before>', 'a YAML file; - is standard input')
        .argument('<after>', 'the YAML file to compare with'),
    ),
  )
    .note(
      'Join files that are merged by commas, such as base.yaml,staging.yaml.',
      'Exit codes: 0 nothing differs, 1 a file has errors, 2 there are differences, 3 could not run.',
    )
    .action(async (before: string, after: string) =>
      done(await configDiff({ context, before, after, ...describeGiven(made) })),
    )

/** `base.yaml,staging.yaml`: files that lie over each other. */
function filesOf(side: string): readonly string[] {
  const files = side.split(',').filter((file) => file !== '')
  if (files.length > 0) return files
  throw new UsageError(
    'One side of the comparison names no file.',
    'Write for example: muster config diff OLD NEW',
  )
}

/**
 * Compares what two configurations set for each host. Exit codes: 0 no differences, 1 errors in a file, 2 differences,
 * 3 a file cannot be read or `hosts` matches none.
 */
async function configDiff(options: {
  readonly context: CommandContext
  readonly before: string
  readonly after: string
  readonly hosts: readonly string[]
  readonly format: 'text' | 'json'
}): Promise<ExitCode> {
  const { context, hosts, format } = options
  const [old, now] = [filesOf(options.before), filesOf(options.after)]
  if (old.includes('-') && now.includes('-')) {
    throw new UsageError(
      'Both sides are standard input, which can be read only once.',
      'Name a file for one of them.',
    )
  }
  const before = await describeFiles({ context, files: old, set: [], warnings: false })
  const after = await describeFiles({ context, files: now, set: [], warnings: false })
  if (!before.ok || !after.ok) {
    // A file that cannot be read weighs more than one with errors.
    const codes = [before, after].flatMap((side) => (side.ok ? [] : side.exitCode))
    return codes.includes(exitCodes.usage) ? exitCodes.usage : exitCodes.failed
  }
  const meant = hostFilter(hosts, [before.description, after.description])
  const difference = compareDescriptions(meant(before.description), meant(after.description))
  const { stdout } = context
  writeDataTo(
    stdout,
    format === 'json' ? diffJson(difference) : diffText(difference, colourOf(context, stdout)),
  )
  return isSame(difference) ? exitCodes.ok : exitCodes.changes
}
