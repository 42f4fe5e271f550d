import { release } from 'node:os'
import { resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { ClusterConfig } from '../config/model.ts'
import type { HostReport } from '../deployment/diag/hostReport.ts'
import { hostReport } from '../deployment/diag/hostReport.ts'
import { redacted } from '../deployment/diag/redact.ts'
import { type TarEntry, tarOf } from '../deployment/diag/tar.ts'
import { type HostResult, onEachHost } from '../deployment/eachHost.ts'
import { writeArchive } from '../deployment/state/archiveFile.ts'
import { readState } from '../deployment/state/openState.ts'
import { type DiagPart, diagAnnounced, diagReadme, diagWritten } from '../output/deployment/diag.ts'
import type { Secret } from '../secrets/secret.ts'
import { createCapture } from './capture.ts'
import { connectHost, prepareConnections } from './connectHost.ts'
import type { CommandContext } from './context.ts'
import { type ExitCode, exitCodes } from './exitCodes.ts'
import { Interrupted } from './interrupted.ts'
import { type ClusterOptions, openCluster } from './openCluster.ts'
import { secretReader } from './secretReader.ts'
import { textWidth } from './terminal.ts'
import { UsageError } from './usageError.ts'

/** What one command of ours says, as a file of the archive. */
type Told = DiagPart & {
  /** Whether it goes to the hosts; it is asked only about those that were reached. */
  readonly reaching: boolean
  readonly run: (options: ClusterOptions) => Promise<ExitCode>
}

const told: readonly Told[] = [
  {
    path: 'config.yaml',
    what: 'the files, as config --scrub prints them',
    reaching: false,
    run: async (options) => (await import('./scrub.ts')).scrub(options),
  },
  {
    path: 'settings.txt',
    what: 'what every host gets, and where from',
    reaching: false,
    run: async (options) =>
      (await import('./config.ts')).config({ ...options, hosts: [], origin: true, format: 'text' }),
  },
  {
    path: 'check.txt',
    what: 'what stands in the way on the hosts',
    reaching: true,
    run: async (options) =>
      (await import('./check.ts')).check({
        ...options,
        json: false,
        strict: false,
        fix: false,
        yes: false,
        lockWait: 0,
      }),
  },
  {
    path: 'status.txt',
    what: 'every host and component as it is',
    reaching: true,
    run: async (options) =>
      (await import('./status.ts')).status({ ...options, component: undefined, json: false }),
  },
  {
    path: 'plan.txt',
    what: 'what install would change',
    reaching: true,
    run: async (options) =>
      (await import('./plan.ts')).plan({
        ...options,
        json: false,
        runtimeFile: undefined,
        replaced: [],
        out: undefined,
      }),
  },
  {
    path: 'logs.txt',
    what: 'the last 200 lines of the components of each host',
    reaching: true,
    run: async (options) =>
      (await import('./logs.ts')).logs({
        ...options,
        component: undefined,
        since: undefined,
        lines: '200',
        json: false,
      }),
  },
  {
    path: 'runs.json',
    what: 'the runs that this state directory knows',
    reaching: false,
    run: async (options) => (await import('./audit.ts')).audit({ ...options, id: undefined, json: true }),
  },
]

const parts: readonly DiagPart[] = [
  { path: 'versions.json', what: 'of muster, Node.js and this machine' },
  ...told,
  { path: 'hosts/', what: 'facts, the last changes and changing calls of each host' },
]

/** Characters of one file at most; its end is kept. */
const longest = 1024 * 1024

/**
 * `muster diag`: all that a bug report needs, in one archive that only its owner can read. Changes nothing on the
 * hosts. A host that cannot be reached is told inside.
 */
export async function diag(
  options: ClusterOptions & {
    /** The archive's path; in the working directory, named after cluster and time, where there is none. */
    readonly out: string | undefined
  },
): Promise<ExitCode> {
  const { context } = options
  if (options.files.includes('-')) {
    throw new UsageError('`muster diag` reads its files more than once.', 'Give it a file instead of -.')
  }
  const config = await openCluster(options)
  if (typeof config === 'number') return config
  const { cluster, hosts } = config
  const made = context.now()
  const stem = `muster-diag-${encodeURIComponent(cluster).slice(0, 60)}-${made.toISOString().replace(/[-:]|\.\d+/g, '')}`
  const path = resolve(context.cwd, options.out ?? `${stem}.tar.gz`)
  const width = textWidth(context.stdout)
  context.stdout.write(diagAnnounced(parts, width))

  const { context: quiet, capture } = createCapture(context)
  await prepareConnections(quiet, hosts)
  const secrets = await secretsOf(quiet, config)
  const results = await onEachHost({
    hosts,
    connect: (host) => connectHost(quiet, host),
    work: (transport, host) => hostReport(transport, { cluster, host }),
  })
  if (context.signal.aborted) throw new Interrupted()
  const lost = results.flatMap((one) => ('failure' in one ? [{ host: one.host.name, ...one.failure }] : []))
  const files: [string, string][] = [
    ['README.txt', diagReadme({ cluster, made, parts, lost })],
    ['versions.json', versions(context)],
  ]
  const reached = hosts.map(({ name }) => name).filter((name) => !lost.some(({ host }) => host === name))
  for (const { path: name, reaching, run } of told) {
    if (reaching && reached.length === 0) continue
    const targets = options.targets && { ...options.targets, hosts: reached }
    const asked = { ...options, ...(reaching && targets && { targets }) }
    const { text, code } = await capture((inner) => run({ ...asked, context: inner }))
    files.push([
      name,
      `${ending(text)}${/\.(txt)$/.test(name) ? `(exit code ${code ?? 'none: it broke'})\n` : ''}`,
    ])
  }
  files.push(...results.flatMap(hostFiles))
  const entries = files.map(
    ([name, text]): TarEntry => ({ path: `${stem}/${name}`, content: Buffer.from(redacted(text, secrets)) }),
  )
  const archive = gzipSync(tarOf(entries, made))
  await writeArchive(path, archive)
  const names = lost.map(({ host }) => host)
  context.stdout.write(
    diagWritten({ path, bytes: archive.length, files: entries.length, lost: names, width }),
  )
  return exitCodes.ok
}

const ending = (text: string): string =>
  text.length <= longest
    ? text
    : `… ${text.length - longest} characters before this are left out\n${text.slice(-longest)}`

function hostFiles(result: HostResult<HostReport>, index: number): [string, string][] {
  const folder = `hosts/${index + 1}-${encodeURIComponent(result.host.name).slice(0, 60)}`
  if ('failure' in result) {
    const { message, code, fix } = result.failure
    return [[`${folder}/not-reached.txt`, `${message} [${code}]\nfix: ${fix}\n`]]
  }
  const { facts, changes, calls } = result.result
  return [
    [`${folder}/facts.json`, facts],
    [`${folder}/changes.jsonl`, changes],
    [`${folder}/calls.jsonl`, calls],
  ]
}

const versions = ({ version }: CommandContext): string => {
  const { versions: of, platform, arch } = process
  const all = { muster: version, node: of.node, openssl: of.openssl, platform, arch, kernel: release() }
  return `${JSON.stringify(all, null, 2)}\n`
}

/** Every secret that is known here, so that none passes wherever it stands; what cannot be read cannot be known. */
async function secretsOf(context: CommandContext, config: ClusterConfig): Promise<readonly Secret[]> {
  const read = secretReader(context, { policy: 'all' })
  const references = config.hosts.flatMap(({ users, tls, database, monitor, ssh }) => [
    ...users.map(({ password }) => password),
    tls.keystorePassword,
    tls.truststorePassword,
    database?.account?.password,
    monitor?.password,
    ssh.becomePassword,
  ])
  const found: Secret[] = []
  for (const reference of references) {
    if (reference === undefined || reference === 'ask') continue
    const reading = await read(reference)
    if ('secret' in reading) found.push(reading.secret)
  }
  const { directory, cluster } = config
  const state = (await readState({ directory, cluster }).catch(() => undefined))?.state
  const { storePasswords, users } = state ?? {}
  return [
    ...found,
    ...(storePasswords === undefined ? [] : [storePasswords.keystore, storePasswords.truststore]),
    ...[...(users?.values() ?? [])].flatMap(({ password }) => password ?? []),
  ]
}
