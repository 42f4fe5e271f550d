import { listOf } from '../../base/words.ts'
import { startsWritable } from '../configuredReadOnly.ts'
import type { DiscoveredHost } from './discoveredHosts.ts'
import { installedComponents } from './installedOptions.ts'

const semiSync = {
  source: 'semi-synchronous as a source',
  replica: 'semi-synchronous as a replica',
  both: 'semi-synchronous as source and replica',
} as const

/** Describes a host and its database server in a few sentences, for the comment above it. */
export function describeHost(host: DiscoveredHost): readonly string[] {
  const { os, systemd, isRoot, programs, database, optionFile, installation, ini } = host
  const system = [os === '' ? 'Unknown system' : os, systemd ? 'systemd' : 'no systemd']
  const servers = (programs.get('mariadbd') ?? 0) + (programs.get('mysqld') ?? 0)
  const proxies = [...programs.keys()].filter((name) => name !== 'mariadbd' && name !== 'mysqld')
  return [
    `${system.join(', ')}${isRoot ? '' : ', read without the rights of root'}.`,
    ...databaseSentences(database),
    ...startSentences(host),
    ...(optionFile === undefined ? [] : [`The login at the database was that of ${optionFile}.`]),
    ...(servers > 1
      ? [`Not sure: ${servers} database servers run there; only the one behind the usual socket was read.`]
      : []),
    ...(proxies.length > 0 ? [`Also running: ${listOf(proxies)}.`] : []),
    ...(installation === undefined ? [] : installationSentences(host)),
    ...(ini === undefined
      ? []
      : [`It has ${ini.path}, of which the data service was read. To convert all of it: muster import FILE`]),
  ]
}

function databaseSentences(database: DiscoveredHost['database']): readonly string[] {
  if (database === undefined || typeof database === 'string') return []
  const { type, version, port, serverId, readOnly, binaryLog, datadir, socket } = database
  const kind = type === 'mariadb' ? 'MariaDB' : 'MySQL'
  const facts = [
    `${kind} ${version}`,
    `server_id ${serverId}`,
    readOnly ? 'read_only' : 'writable',
    ...(port === 0 ? [] : [`port ${port}`]),
    `socket ${socket}`,
    `datadir ${datadir.replace(/(.)\/$/, '$1')}`,
    binaryLog ? 'binary log' : 'no binary log, so it cannot be a primary',
    ...(database.semiSync === undefined ? [] : [semiSync[database.semiSync]]),
  ]
  return [
    `${facts.join(', ')}.`,
    ...(database.ownCluster === undefined
      ? []
      : [`Not sure: it is in a cluster of ${database.ownCluster}, which muster does not control.`]),
    ...(database.onlyLocal
      ? [
          'Not sure: it cannot be reached over the network (bind_address, skip_networking), so neither managers nor connectors of other hosts can use it.',
        ]
      : []),
  ]
}

/** Of MySQL the option files say nothing, since it keeps what is set by SET PERSIST. */
function startSentences({ database, configuredReadOnly: configured }: DiscoveredHost): readonly string[] {
  if (configured === undefined || configured.isReadOnly) return []
  if (typeof database !== 'object' || database.type !== 'mariadb') return []
  const { reason, fix } = startsWritable(configured)
  return [`After a restart it can be written, whatever its role: ${reason}. ${fix}`]
}

function installationSentences({ installation }: DiscoveredHost): readonly string[] {
  if (installation === undefined) return []
  const { settings, damaged } = installedComponents(installation)
  const { currentRelease } = installation.installed.installation
  return [
    `muster ${currentRelease ?? 'without a release'} in ${installation.folder}: ${listOf([...settings.keys()]) || 'no component'}.`,
    ...(damaged.length > 0
      ? [`Not sure: the settings of its ${listOf(damaged)} are damaged and were not read.`]
      : []),
  ]
}
