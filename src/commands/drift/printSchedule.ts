import { userInfo } from 'node:os'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { isObject } from '../../base/json.ts'
import { quote } from '../../base/shellWords.ts'
import { shortListOf } from '../../base/words.ts'
import { type ExitCode, exitCodes } from '../../cli/exitCodes.ts'
import { writeFileTo } from '../../cli/terminal.ts'
import { UsageError } from '../../cli/usageError.ts'
import { notWritten, writeNewFiles } from '../../cli/writeNewFiles.ts'
import { setSource } from '../../config/sets.ts'
import { driftUnits } from '../../output/deployment/driftUnits.ts'
import { type ClusterOptions, openCluster } from '../../session/openCluster.ts'
import { namesOf } from '../../session/selectTargets.ts'
import { shardText } from '../../session/shard.ts'

/** Calendar of --on-calendar and folder of --out. */
type Schedule = { readonly calendar: string; readonly out: string | undefined }

/** Returns the options of --schedule; throws a `UsageError` if they are given without it or are no calendar. */
export function scheduleGiven(made: Command): Schedule | undefined {
  const { schedule, onCalendar, out } = made.opts<{ schedule?: true; onCalendar?: string; out?: string }>()
  if (schedule !== true) {
    if (onCalendar === undefined && out === undefined) return undefined
    throw new UsageError(
      `${out === undefined ? '--on-calendar' : '--out'} needs --schedule.`,
      'Add --schedule to print the units.',
    )
  }
  const calendar = onCalendar ?? 'daily'
  if (/^[\w*][\w*.,:/~+ -]{0,99}$/.test(calendar)) return { calendar, out }
  throw new UsageError(
    `--on-calendar ${calendar} is not a time of systemd.`,
    'Use one such as hourly, daily or "Mon..Fri 06:00"; systemd-analyze calendar shows what it means.',
  )
}

/** Prints a service and a timer that run `muster drift` with the same files and hosts, or writes them into a folder. */
export async function printSchedule(
  options: ClusterOptions & Schedule & { readonly runtimeFile: string | undefined },
): Promise<ExitCode> {
  const { context, files, set, targets, askBecomePass, runtimeFile, calendar, out } = options
  const { env, cwd, packageDirectory, stdout } = context
  const refused = set.length > 0 ? '--set' : askBecomePass === true ? '--ask-become-pass' : undefined
  if (refused !== undefined || files.includes('-')) {
    throw new UsageError(
      `${refused ?? 'A file from standard input'} cannot be used with --schedule: a timer runs without you.`,
      'Put the values into the file, secrets as !file or !env.',
    )
  }
  const { config, loaded } = await openCluster(options)
  const local = config.hosts.filter(({ connection }) => connection === 'local')
  if (local.length > 0) {
    throw new UsageError(
      `--schedule is for hosts that are reached by SSH; ${shortListOf(namesOf(local))} has connection: local.`,
      'Exclude the host with --host, or let it be reached by SSH.',
    )
  }
  const chosen = [
    ...(targets?.hosts ?? []).flatMap((glob) => ['--host', glob]),
    ...(targets?.services ?? []).flatMap((glob) => ['--service', glob]),
    ...(targets?.shard === undefined ? [] : ['--shard', shardText(targets.shard)]),
  ]
  const argv = [
    process.execPath,
    ...(packageDirectory === '' ? [] : [join(packageDirectory, 'dist', 'muster.js')]),
    'drift',
    ...chosen,
    ...(runtimeFile === undefined ? [] : ['--runtime-file', resolve(cwd, runtimeFile)]),
    ...(context.forks === undefined ? [] : ['--forks', String(context.forks)]),
    ...loaded.sources
      .map(({ name }) => name)
      .filter((name) => name !== setSource)
      .map((name) => resolve(cwd, name)),
  ]
  const unfit = [config.directory, ...argv].find((text) => !fitsIntoUnit(text))
  if (unfit !== undefined) {
    throw new UsageError(
      `${JSON.stringify(unfit)} cannot be written into a unit of systemd.`,
      'Rename it: without control characters, and without a backslash at its end.',
    )
  }
  const units = driftUnits({
    cluster: config.cluster,
    argv,
    user: userInfo().username,
    directory: config.directory,
    environment: Object.fromEntries(
      ['SSH_AUTH_SOCK', 'XDG_CONFIG_HOME', 'NODE_EXTRA_CA_CERTS'].flatMap((name) => {
        const value = env[name]
        // An agent below /tmp belongs to one login, and the service has a /tmp of its own.
        return value?.startsWith('/') === true && !value.startsWith('/tmp/') ? [[name, value]] : []
      }),
    ),
    secretVariables: variablesOf([config.hosts, config.notify]),
    calendar,
  })
  if (out === undefined) {
    const folder = '/etc/systemd/system'
    writeFileTo(stdout, units.map(({ name, text }) => `# ${folder}/${name}\n${text}`).join('\n'))
    return exitCodes.ok
  }
  const folder = resolve(cwd, out)
  const failed = await writeNewFiles(
    units.map(({ name, text }) => ({ path: join(folder, name), text, mode: 0o644 })),
    { force: true, folder },
  )
  if (failed !== undefined) throw notWritten(failed.outcome, { files: failed.files.map(({ path }) => path) })
  const [service, timer] = units
  const copied = [service, timer].map(({ name }) => quote(`${out}/${name}`)).join(' ')
  stdout.write(`wrote ${units.map(({ name }) => name).join(' and ')} to ${out}. Install and start them:
  sudo cp -- ${copied} /etc/systemd/system/
  sudo systemctl daemon-reload && sudo systemctl enable --now ${timer.name}
`)
  return exitCodes.ok
}

/** Returns false for a text that would begin another line of a unit, or continue one (systemd.syntax(7)). */
const fitsIntoUnit = (text: string): boolean => !/\p{Cc}|\\$/u.test(text)

/** Names of the variables that the values read by !env, in their order. */
function variablesOf(value: unknown): readonly string[] {
  const found = new Set<string>()
  const visit = (one: unknown): void => {
    if (Array.isArray(one)) one.forEach(visit)
    else if (isObject(one)) {
      if (one.kind === 'env' && typeof one.name === 'string') found.add(one.name)
      Object.values(one).forEach(visit)
    }
  }
  visit(value)
  return [...found]
}
