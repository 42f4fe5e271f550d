import { release } from 'node:os'
import { resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { jsonText } from '../base/json.ts'
import { printable } from '../base/printable.ts'
import { compactTime } from '../base/time.ts'
import type { CommandContext } from '../cli/context.ts'
import { type ExitCode, exitCodes } from '../cli/exitCodes.ts'
import { Interrupted } from '../cli/interrupted.ts'
import { textWidth } from '../cli/terminal.ts'
import { UsageError } from '../cli/usageError.ts'
import { type HostReport, hostReport } from '../deployment/diag/hostReport.ts'
import { redact } from '../deployment/diag/redact.ts'
import { createTar, type TarEntry } from '../deployment/diag/tar.ts'
import { type HostResult, onEachHost } from '../deployment/eachHost.ts'
import { writeArchive } from '../deployment/state/archiveFile.ts'
import { diagAnnounced, diagReadme, diagWritten } from '../output/deployment/diag.ts'
import { connectHost, prepareConnections } from '../session/connectHost.ts'
import { type ClusterOptions, openCluster } from '../session/openCluster.ts'
import { namesOf } from '../session/selectTargets.ts'
import { createCapture } from './capture.ts'
import { knownSecrets } from './diag/knownSecrets.ts'
import { parts, told } from './diag/parts.ts'

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
  const { config } = await openCluster(options)
  const { cluster, hosts } = config
  const made = context.now()
  const stem = `muster-diag-${encodeURIComponent(cluster).slice(0, 60)}-${compactTime(made)}`
  const path = resolve(context.cwd, options.out ?? `${stem}.tar.gz`)
  const width = textWidth(context.stdout)
  context.stdout.write(diagAnnounced(parts, width))

  const { context: quiet, capture } = createCapture(context)
  await prepareConnections(quiet, hosts)
  const secrets = await knownSecrets(quiet, config)
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
  const reached = namesOf(hosts).filter((name) => !lost.some(({ host }) => host === name))
  for (const { path: name, reaching, run } of told) {
    if (reaching && reached.length === 0) continue
    const targets = options.targets && { ...options.targets, hosts: reached }
    const asked = { ...options, ...(reaching && targets && { targets }) }
    const { text, code } = await capture((inner) => run({ ...asked, context: inner }))
    const end = name.endsWith('.txt') ? `(exit code ${code ?? 'none: it broke'})\n` : ''
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

const versions = ({ version }: CommandContext): string => {
  const { versions: of, platform, arch } = process
  const all = { muster: version, node: of.node, openssl: of.openssl, platform, arch, kernel: release() }
  return jsonText(all)
}

/** What the archive has of a host, each file by its path and text; of one that was not reached, why. */
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
