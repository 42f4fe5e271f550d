import { type Define, flag, takeWords } from '../cli/command.ts'
import { type ExitCode, exitCodes } from '../cli/exitCodes.ts'
import { Interrupted } from '../cli/interrupted.ts'
import { parseDurationOption } from '../cli/optionValues.ts'
import { colourOf, textWidth, writeDataTo } from '../cli/terminal.ts'
import { UsageError } from '../cli/usageError.ts'
import { onEachHost } from '../deployment/eachHost.ts'
import { execOnHost } from '../deployment/execOnHost.ts'
import { execJson, execText } from '../output/deployment/exec.ts'
import { runOnFiles, targetOptions } from '../session/clusterOptions.ts'
import { installedHostConnector } from '../session/connectInstalledHost.ts'
import { type ClusterOptions, openCluster } from '../session/openCluster.ts'
import { exitOfUnreachable, reportUnreachable } from '../session/outcomes.ts'

/** Takes the words behind `--` as the program, and looks for no option of ours in them. */
export const execCommand: Define = (made, world) => {
  targetOptions(made)
    .usage('[options] [file...] -- <program> [argument...]')
    .option('--timeout <time>', 'time limit per host, such as 30s or 10m', '60s')
    .option('--json', 'print one line of JSON for each host')
  const words = takeWords(made)
  return runOnFiles(made, world, (options) => {
    const { timeout } = made.opts<{ timeout: string }>()
    return exec({ ...options, words: words(), timeout, json: flag(made, 'json') })
  })
}

/** Runs one program on every reachable host, without a shell. */
export async function exec(
  options: ClusterOptions & {
    /** The program and its arguments. */
    readonly words: readonly string[]
    readonly timeout: string
    readonly json: boolean
  },
): Promise<ExitCode> {
  const { context, json } = options
  const [program, ...given] = options.words
  if (program === undefined) {
    throw new UsageError(
      '`muster exec` needs a command.',
      'Put it after two hyphens: muster exec muster.yaml -- uptime -p',
    )
  }
  // sh would take it for an option.
  if (program.startsWith('-'))
    throw new UsageError(`${program} is not a command.`, 'Put the command before its options.')
  const timeout = parseDurationOption(options.timeout, 'timeout') * 1000
  const { config } = await openCluster(options)
  const results = await onEachHost({
    hosts: config.hosts,
    forks: context.forks,
    connect: await installedHostConnector(context, config),
    work: (transport) => execOnHost(transport, { words: [program, ...given], timeout }),
  })
  if (context.signal.aborted) throw new Interrupted()
  const done = results.flatMap((one) =>
    'result' in one ? [{ host: one.host.name, result: one.result }] : [],
  )
  const shown = { colour: colourOf(context, context.stdout), width: textWidth(context.stdout) }
  writeDataTo(context.stdout, json ? execJson(done) : execText(done, shown))
  const unreachable = results.filter((one) => 'failure' in one)
  reportUnreachable(context, unreachable)
  return done.some(({ result }) => result.code !== 0) ? exitCodes.failed : exitOfUnreachable(unreachable)
}
