import { ProblemError } from '../../../api/problemError.ts'
import { gtidText } from '../../databases/gtidSet.ts'
import type { SwitchReading } from '../../databases/switchServer.ts'
import { unackedReason } from '../assessService.ts'
import type { Manager } from '../createManager.ts'
import type { DataSourceKey } from '../dataSources.ts'
import { errantGtids, isPrimary, ownLostGtids, readingOf, sourceNames } from '../replicationGraph.ts'
import { closeNodes, type OpenServer, type ReadNode, readNodes, tlsOf } from './nodes.ts'
import { ownLostWords, type SourceAccount, type Timing } from './runSwitch.ts'
import { wrongState } from './switchProblems.ts'
import { verifyFollowers } from './verifyFollowers.ts'

/** Contradictions that end when the server follows the writer. */
const endedByFollowing: ReadonlySet<string | null | undefined> = new Set([
  'follows-other',
  'two-writers',
  'unknown-server',
])

/**
 * Returns what `repointSource` would do, as a sentence; undefined where the last check found nothing that it would correct.
 * Throws a `wrong-state` problem where its commits wait for a replica.
 */
export function describeRepoint(manager: Manager, key: DataSourceKey): string | undefined {
  const { name } = key
  const { datasource: writer } = manager.writer(key.service)
  const { finding } = manager.assessment(key)
  if (writer === null || writer === name || finding?.result !== 'failed') return undefined
  const { known } = manager.health(manager.view(key))
  const unacked = unackedReason(known, writer)
  if (unacked) throw wrongState(unacked)
  const isAlone = finding.code === 'not-replicating' && known?.channels.length === 0
  if (!isAlone && !endedByFollowing.has(finding.code)) return undefined
  const before = finding.code === 'two-writers' ? 'becomes read-only and follows' : 'follows'
  return `${finding.reason ?? ''} With repoint=yes ${name} ${before} ${writer} by GTID.`.trimStart()
}

/** Returns what was read of a server. Throws a `wrong-state` problem where it does not answer. */
function answered({ name, member: { look } }: ReadNode): SwitchReading {
  if (look.kind === 'answered') return look.reading
  const why = 'error' in look ? ` ${look.error.message}` : ''
  throw wrongState(`${name} cannot be reached.${why}`)
}

/** Returns why a server that was read must not follow another one as it is; undefined where nothing speaks against it. */
export function reasonAgainst(
  own: Pick<ReadNode, 'name' | 'member'>,
  writer: typeof own,
): string | undefined {
  const [reading, source] = [readingOf(own.member), readingOf(writer.member)]
  if (!reading || !source) return undefined
  const unacked = unackedReason(reading, writer.name)
  if (unacked) return unacked
  const errant = errantGtids(reading, source)
  if (errant) {
    return (
      `${own.name} has transactions that ${writer.name} does not have: ${gtidText(errant)}. ` +
      `Make it anew from a backup of ${writer.name} (muster provision ${own.name}).`
    )
  }
  const mayLack = isPrimary(reading) || reading.channels.length === 0
  const lost = mayLack ? ownLostGtids(reading, source) : undefined
  return lost && `${own.name} ${ownLostWords(writer.name, lost)}`
}

/**
 * Lets a server follow the writer of its service, or another one that is about to be it; resolves once it was seen to do so.
 * Throws a problem: then it is as it was, or, as the problem says, it was told to follow and does not.
 */
export async function repointSource(
  means: {
    readonly manager: Manager
    readonly open: OpenServer
    readonly account: () => SourceAccount
    readonly timing: Timing
  },
  key: DataSourceKey,
  to: string | null = means.manager.writer(key.service).datasource,
): Promise<void> {
  const { manager, open, account } = means
  const { service, name } = key
  const nodes = await readNodes(open, manager, service)
  try {
    const own = nodes.find((it) => it.name === name)
    const writer = nodes.find((it) => it.name === to)
    if (!own || !writer || own === writer) {
      throw wrongState(`The service ${service} has no writer that ${name} could follow.`)
    }
    const members = nodes.map(({ member }) => member)
    const reading = answered(own)
    answered(writer)
    const reason = reasonAgainst(own, writer)
    if (reason !== undefined) throw wrongState(reason)
    if (reading.channels.length > 1) {
      throw wrongState(
        `${name} follows ${sourceNames(reading.channels, members)}: remove all channels but one.`,
      )
    }
    if (!(await own.server.lock(false)) || !(await writer.server.lock(false))) {
      throw new ProblemError({ code: 'operation-running', detail: 'A switch of the service is running.' })
    }
    if (isPrimary(reading)) await own.server.setReadOnly(true)
    const place = { host: writer.host, port: writer.port }
    const isNew = reading.channels.length === 0
    const tls = tlsOf(nodes)
    await own.server.follow(isNew ? { ...place, account: account(), ...(tls && { tls }) } : place)
    // Over connections of its own: nobody else is kept from a switch meanwhile.
    closeNodes(nodes)
    const later = 'Look at it with tapi datasource status, and recover it again.'
    const [left] = await verifyFollowers({ ...means, service, to: writer, followers: [own], later })
    if (left) throw wrongState(`${name} was told to follow ${writer.name}. ${left.remark}`)
  } finally {
    closeNodes(nodes)
  }
}
