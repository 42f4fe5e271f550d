import { type ExitCode, exitCodes } from '../cli/exitCodes.ts'
import { colourOf } from '../cli/terminal.ts'
import { configJson } from '../output/config/configJson.ts'
import { configText } from '../output/config/configText.ts'
import type { ClusterOptions } from '../session/openCluster.ts'
import { describeFiles, hostsMeant } from './describeFiles.ts'

const narrow = 60
const wide = 120

/**
 * `muster config`: what every host gets, and with `origin` where each value came from. Prints nothing of files
 * with errors but those. 0: printed; 1: errors; 3: a file cannot be read, or `hosts` names none.
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
  const description = hostsMeant(hosts, [all])(all)
  const { stdout } = context
  const width = Math.max(narrow, Math.min(wide, stdout.columns ?? wide))
  const layout = { origin, colour: colourOf(context, stdout), width }
  stdout.write(format === 'json' ? configJson(description) : configText(description, layout))
  return exitCodes.ok
}
