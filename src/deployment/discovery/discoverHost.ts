import { randomBytes } from 'node:crypto'
import { canonicalAddress } from '../../base/address.ts'
import { lastLines } from '../../base/printable.ts'
import type { Transport } from '../../transport/transport.ts'
import { type ConfiguredReadOnly, parseConfiguredReadOnly } from '../configuredReadOnly.ts'
import { gatherInstalled } from '../facts/gather.ts'
import type { InstalledFacts, Listener } from '../facts/hostFacts.ts'
import { parseListeners } from '../facts/parseFacts.ts'
import { readRows } from '../facts/rows.ts'
import { layoutOf } from '../layout.ts'
import { type Manifest, parseManifest } from '../manifest.ts'
import { StepError } from '../stepError.ts'
import { type DatabaseReport, parseDatabaseReport } from './databaseReport.ts'
import { discoveryScript, knownPrograms } from './discoveryScript.ts'

/** Everything that runs on a host, as far as its login may see it. Texts are checked and bounded. */
export type HostDiscovery = {
  readonly hostname: string
  readonly os: string
  readonly systemd: boolean
  readonly isRoot: boolean
  /** Global addresses of its interfaces, as the host says. */
  readonly addresses: readonly string[]
  readonly listeners: readonly Listener[]
  /** Known programs with the number of their processes. */
  readonly programs: ReadonlyMap<(typeof knownPrograms)[number], number>
  /** Absent where no server was asked; a text says why one could not be asked. */
  readonly database?: DatabaseReport | string
  /** What its database server starts with; absent where that is not known. */
  readonly configuredReadOnly?: ConfiguredReadOnly
  /** The option file that the login at the database needed, beside those that the client reads by itself. */
  readonly optionFile?: string
  /** Part of the tungsten.ini of the host, without passwords. */
  readonly ini?: { readonly path: string; readonly text: string }
  readonly installations: readonly HostInstallation[]
  /** Folders with an installation that others than root can change, so that nothing in it was read. */
  readonly distrusted: readonly string[]
}

/** An installation of muster on a host. */
export type HostInstallation = {
  readonly folder: string
  readonly manifest: Manifest
  readonly installed: InstalledFacts
}

/** Installations, addresses and listeners of one host that are read. */
const most = { installations: 4, addresses: 50, listeners: 2000 }

const decoded = (text: string | undefined): string => Buffer.from(text ?? '', 'base64').toString('utf8')

const isFolder = (text: string): boolean => /^\/[\x20-\x7e]{1,250}$/.test(text) && !text.includes('/../')

const isDatabaseProgram = (name: string): boolean => name === 'mariadbd' || name === 'mysqld'

/** Reads what runs on a host: in one round trip, and one more for each installation of muster. Changes nothing. */
export async function discoverHost(transport: Transport): Promise<HostDiscovery> {
  const nonce = randomBytes(16).toString('hex')
  const mark = randomBytes(16).toString('hex')
  const { code, stdout, stderr } = await transport.run(discoveryScript(nonce, mark))
  if (code !== 0) {
    throw new StepError({
      host: transport.host,
      code: 'facts-failed',
      message: `reading what runs on the host failed with exit code ${code}: ${stderr}`,
      fix: 'The host needs a POSIX sh, coreutils, grep and sed.',
    })
  }
  const rows = readRows(stdout.raw(), nonce)
  const programs = new Map(
    knownPrograms.flatMap((name) => {
      const count = rows.all('process').filter(([one]) => one === name).length
      return count === 0 ? [] : [[name, count] as const]
    }),
  )
  const installations: HostInstallation[] = []
  for (const [folder = ''] of rows.all('installation').slice(0, most.installations)) {
    const manifest = parseManifest(rows.text(`manifest-${folder}`) ?? '')
    if (!isFolder(folder) || manifest === undefined || !isClusterName(manifest.cluster)) continue
    const { cluster } = manifest
    const installed = await gatherInstalled(transport, { cluster, layout: layoutOf(folder) })
    if (installed.untrusted === undefined) installations.push({ folder, manifest, installed })
  }
  const database = databaseOf(rows, { mark, runs: [...programs.keys()].some(isDatabaseProgram) })
  const configured = parseConfiguredReadOnly(rows.one('read-only'))
  const [path = '', ini] = rows.all('ini')[0] ?? []
  const way = rows.one('way')
  return {
    hostname: rows.one('hostname').slice(0, 255),
    os: lastLines(rows.one('os')).slice(0, 100),
    systemd: rows.isYes('systemd'),
    isRoot: rows.one('uid') === '0',
    addresses: rows
      .all('address')
      .slice(0, most.addresses)
      .flatMap(([address = '']) => canonicalAddress(address) ?? []),
    listeners: parseListeners(
      rows
        .all('listener')
        .slice(0, most.listeners)
        .map(([line = '']) => line)
        .join('\n'),
    ),
    programs,
    ...(database === undefined ? {} : { database }),
    ...(typeof configured === 'string' ? {} : { configuredReadOnly: configured }),
    ...(isFolder(way) ? { optionFile: way } : {}),
    ...(ini === undefined || !isFolder(path) ? {} : { ini: { path, text: decoded(ini) } }),
    installations,
    distrusted: rows.all('distrusted').flatMap(([folder = '']) => (isFolder(folder) ? [folder] : [])),
  }
}

/** A name as `cluster` in the file accepts it: it becomes part of paths. */
const isClusterName = (text: string): boolean => /^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/.test(text)

function databaseOf(
  rows: ReturnType<typeof readRows>,
  { mark, runs }: { readonly mark: string; readonly runs: boolean },
): DatabaseReport | string | undefined {
  const answers = rows.all('answers')[0]
  if (answers !== undefined) {
    return (
      parseDatabaseReport(decoded(answers[0]), mark) ??
      'what the database server answered is not what MariaDB or MySQL say'
    )
  }
  if (!runs) return undefined
  if (rows.one('client') === 'no') return 'there is no client of the database on the host (mariadb or mysql)'
  const said = lastLines(decoded(rows.all('refused')[0]?.[0])).slice(0, 300)
  return `the login at it failed: ${said === '' ? 'it did not answer in time' : said}`
}
