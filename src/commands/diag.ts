import { release } from 'node:os'
import { resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { jsonText } from '../base/json.ts'
import { printable } from '../base/printable.ts'
import { createTar, type TarEntry } from '../base/tar.ts'
import { compactTime } from '../base/time.ts'
import type { Define } from '../cli/command.ts'
import type { CommandContext } from '../cli/context.ts'
import { type ExitCode, exitCodes } from '../cli/exitCodes.ts'
import { Interrupted } from '../cli/interrupted.ts'
import { textWidth } from '../cli/terminal.ts'
import { UsageError } from '../cli/usageError.ts'
import { type HostReport, hostReport } from '../deployment/diag/hostReport.ts'
import { redact } from '../deployment/diag/redact.ts'
import { type HostResult, onEachHost } from '../deployment/eachHost.ts'
import { writeArchive } from '../deployment/state/archiveFile.ts'
import { type DiagPart, diagPreview, diagReadme, diagResult } from '../output/deployment/diagText.ts'
import { runOnFiles, targetOptions } from '../session/clusterOptions.ts'
import { connectHost, prepareConnections } from '../session/connectHost.ts'
import { type ClusterOptions, openCluster } from '../session/openCluster.ts'
import { namesOf } from '../session/selectTargets.ts'
import { audit } from './audit.ts'
import { check } from './check.ts'
import { config } from './config.ts'
import { createCapture } from './diag/capture.ts'
import { knownSecrets } from './diag/knownSecrets.ts'
import { logs } from './logs.ts'
import { plan } from './plan.ts'
import { status } from './status.ts'

export const diagCommand: Define = (made, world) =>
  runOnFiles(
    targetOptions(made).option(
      '--out <file>',
      'archive to write (default: ./muster-diag-CLUSTER-TIME.tar.gz)',
    ),
    world,
    (options) => diag({ ...options, out: made.opts<{ out?: string }>().out }),
  )

/** Output of one muster command, as a file of the archive. */
type IncludedCommand = DiagPart & {
  /** Connects to hosts; run only for the reachable ones. */
  readonly reaching: boolean
  readonly run: (options: ClusterOptions) => Promise<ExitCode>
}

/** In the order of the archive. */
const includedCommands: readonly IncludedCommand[] = [
  {
    path: 'settings.txt',
    what: 'the options of every host and their sources',
    reaching: false,
    run: async (options) => config({ ...options, hosts: [], origin: true, format: 'text' }),
  },
  {
    path: 'check.txt',
    what: 'problems that muster check finds on the hosts',
    reaching: true,
    run: async (options) =>
      check({
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
    what: 'the state of every host and component',
    reaching: true,
    run: async (options) => status({ ...options, component: undefined, format: 'wide', isWatched: false }),
  },
  {
    path: 'plan.txt',
    what: 'what install would change',
    reaching: true,
    run: async (options) =>
      plan({
        ...options,
        format: 'text',
        runtimeFile: undefined,
        replaced: [],
        release: undefined,
        out: undefined,
      }),
  },
  {
    path: 'logs.txt',
    what: 'the last 200 lines of the components of each host',
    reaching: true,
    run: async (options) =>
      logs({
        ...options,
        component: undefined,
        follow: false,
        since: undefined,
        lines: '200',
        level: undefined,
        grep: undefined,
        json: false,
      }),
  },
  {
    path: 'runs.json',
    what: 'the runs that this state directory knows',
    reaching: false,
    run: async (options) => audit({ ...options, id: undefined, json: true }),
  },
]

/** Contents of the archive, for people. */
const archiveParts: readonly DiagPart[] = [
  { path: 'versions.json', what: 'versions of muster, Node.js and this machine' },
  ...includedCommands,
  { path: 'hosts/', what: 'facts of each host, its last changes and its last calls that changed something' },
]

/** Characters of one file at most; its end is kept. */
const longest = 1024 * 1024

/**
 * Writes an archive for a bug report, readable only by its owner. Changes nothing on the hosts. Unreachable hosts are
 * listed inside.
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
  const { config } = await openCluster(options)
  const { cluster, hosts } = config
  const made = context.now()
  const stem = `muster-diag-${encodeURIComponent(cluster).slice(0, 60)}-${compactTime(made)}`
  const path = resolve(context.cwd, options.out ?? `${stem}.tar.gz`)
  const width = textWidth(context.stdout)
  context.stdout.write(diagPreview(archiveParts, width))

  const { context: quiet, capture } = createCapture(context)
  await prepareConnections(quiet, hosts)
  const secrets = await knownSecrets(quiet, config)
  const results = await onEachHost({
    hosts,
    forks: context.forks,
    connect: (host) => connectHost(quiet, host),
    work: (transport, host) => hostReport(transport, { cluster, host }),
  })
  if (context.signal.aborted) throw new Interrupted()
  const unreachable = results.flatMap((one) =>
    'failure' in one ? [{ host: one.host.name, ...one.failure }] : [],
  )
  const files: [string, string][] = [
    ['README.txt', diagReadme({ cluster, made, parts: archiveParts, unreachable })],
    ['versions.json', versions(context)],
  ]
  const reached = namesOf(hosts).filter((name) => !unreachable.some(({ host }) => host === name))
  for (const { path: name, reaching, run } of includedCommands) {
    if (reaching && reached.length === 0) continue
    const targets = options.targets && { ...options.targets, hosts: reached }
    const asked = { ...options, ...(reaching && targets && { targets }) }
    const { text, code } = await capture((inner) => run({ ...asked, context: inner }))
    const end = name.endsWith('.txt') ? `(exit code ${code ?? 'none: it crashed'})\n` : ''
    files.push([name, `${ending(text)}${end}`])
  }
  files.push(...results.flatMap(hostFiles))
  const entries = files.map(
    ([name, text]): TarEntry => ({
      path: `${stem}/${name}`,
      content: Buffer.from(printable(redact(text, secrets))),
    }),
  )
  const archive = gzipSync(createTar(entries, made))
  await writeArchive(path, archive)
  const names = unreachable.map(({ host }) => host)
  context.stdout.write(
    diagResult({ path, bytes: archive.length, files: entries.length, unreachable: names, width }),
  )
  return exitCodes.ok
}

const ending = (text: string): string =>
  text.length <= longest
    ? text
    : `… ${text.length - longest} earlier characters omitted\n${text.slice(-longest)}`

const versions = ({ version }: CommandContext): string => {
  const { versions: of, platform, arch } = process
  const all = { muster: version, node: of.node, openssl: of.openssl, platform, arch, kernel: release() }
  return jsonText(all)
}

/** Returns the files of one host by path and text; for an unreachable one, the reason. */
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
