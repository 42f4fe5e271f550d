import { type Define, flag } from '../cli/command.ts'
import { type ExitCode, exitCodes } from '../cli/exitCodes.ts'
import { colourOf, writeDataTo } from '../cli/terminal.ts'
import { configJson } from '../output/config/configJson.ts'
import { configText } from '../output/config/configText.ts'
import { fileArguments, hostOption, runOnFiles } from '../session/clusterOptions.ts'
import type { ClusterOptions } from '../session/openCluster.ts'
import { describeFiles, describeFormatOption, describeGiven, hostFilter } from './config/describeFiles.ts'

export const configCommand: Define = (made, world) =>
  runOnFiles(
    describeFormatOption(hostOption(fileArguments(made)).option('--origin', 'show the source of each value'))
      // So that what follows the word diff belongs to it, --host and --format included.
      .enablePositionalOptions(),
    world,
    (options) => config({ ...options, ...describeGiven(made), origin: flag(made, 'origin') }),
  )

const narrow = 60
const wide = 120

/**
 * Shows the effective options of every host, with `origin` also the source of each value. Exit codes: 0 printed, 1
 * errors in the file, 3 a file cannot be read or `hosts` matches none.
 */
export async function config(
  options: ClusterOptions & {
    readonly hosts: readonly string[]
    readonly origin: boolean
    readonly format: 'text' | 'json'
  },
): Promise<ExitCode> {
  const { context, hosts, origin, format } = options
  const described = await describeFiles({ ...options, warnings: true })
  if (!described.ok) return described.exitCode
  const all = described.description
  const description = hostFilter(hosts, [all])(all)
  const { stdout } = context
  const width = Math.max(narrow, Math.min(wide, stdout.columns ?? wide))
  const layout = { origin, colour: colourOf(context, stdout), width }
  writeDataTo(stdout, format === 'json' ? configJson(description) : configText(description, layout))
  return exitCodes.ok
}
