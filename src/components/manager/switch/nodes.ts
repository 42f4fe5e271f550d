import { DatabaseError } from '../../databases/databaseError.ts'
import type { ServerReading } from '../../databases/probe.ts'
import type { ReplicationTls, SwitchServer } from '../../databases/switchServer.ts'
import { withTimeout } from '../../databases/withTimeout.ts'
import { observe } from '../checkResult.ts'
import type { Manager } from '../createManager.ts'
import type { DataSource } from '../dataSources.ts'
import type { DataSourceView } from '../dataSourceTable.ts'
import { readingOf } from '../replicationGraph.ts'
import type { SwitchMember } from './planSwitch.ts'
import type { SwitchNode } from './runSwitch.ts'

/** Opens the connection of a switch to a server, which is made with its first use. */
export type OpenServer = (source: DataSource) => SwitchServer

/** A data source with its connection and what was read over it. */
export type ReadNode = SwitchNode & { readonly member: SwitchMember }

export const nodeOf = (open: OpenServer, source: DataSource): SwitchNode => {
  const { name, host, port } = source
  return { name, host, port, server: open(source) }
}

/** Milliseconds after which a primary that is believed to be lost counts as one that does not answer. */
export const lostLimit = 500

async function readNode(
  {
    open,
    manager,
    lost,
  }: { readonly open: OpenServer; readonly manager: Manager; readonly lost: string | null },
  view: DataSourceView,
): Promise<ReadNode> {
  const node = nodeOf(open, view)
  const { name, host, port, role, state } = view
  const common = { name, host, port, role, state, failures: 0 }
  try {
    const work = node.server.read()
    const late = (): DatabaseError =>
      new DatabaseError({
        code: 'timeout',
        message: `The database ${node.server.place} did not answer in time.`,
      })
    const reading = await (name === lost ? withTimeout({ milliseconds: lostLimit, work, late }) : work)
    return { ...node, member: { ...common, look: { kind: 'answered', reading }, known: reading } }
  } catch (error) {
    const look = await observe(Promise.reject(error))
    if (look.kind === 'answered') throw error
    return { ...node, member: { ...common, look, known: manager.health(view).known } }
  }
}

/**
 * Reads all servers of a service, but for those of witnesses; nobody waits long for the one that is believed to be lost.
 * Throws a `not-found` problem.
 */
export const readNodes = (
  open: OpenServer,
  manager: Manager,
  service: string,
  lost: string | null = null,
): Promise<readonly ReadNode[]> =>
  Promise.all(
    manager
      .views(service)
      .filter(({ role }) => role !== 'witness')
      .map((view) => readNode({ open, manager, lost }, view)),
  )

export const closeNodes = (nodes: readonly SwitchNode[]): void => {
  for (const { server } of nodes) server.close()
}

/** Returns the roles of a server in semi-synchronous replication; both off where it was not read. */
export const semiSyncOf = ({ member }: ReadNode): ServerReading['semiSync'] =>
  readingOf(member)?.semiSync ?? { source: false, replica: false }

/** Returns true if the event scheduler of a server runs, and a switch away from it takes it along. */
export const takesEvents = ({ member }: ReadNode): boolean =>
  member.look.kind === 'answered' && member.look.reading.canStopEvents

/** Returns the TLS of replication as the first replica among these has it; null for none. */
export const tlsOf = (nodes: readonly ReadNode[]): ReplicationTls | null =>
  nodes
    .map(({ member }) => (member.look.kind === 'answered' ? member.look.reading.tls : null))
    .find((it) => it) ?? null

/** Names of the data sources that clients may be connected to, but for one that is lost. */
export const inUse = (manager: Manager, service: string, lost: string | null): ReadonlySet<string> =>
  new Set(
    manager.views(service).flatMap(({ name, state }) => (state === 'ONLINE' && name !== lost ? [name] : [])),
  )

/** Takes the lock of a switch where the server can be reached; connections of another switch end. */
export async function forceLock({ server }: SwitchNode): Promise<void> {
  try {
    await server.lock(true)
  } catch (error) {
    // Its reading fails just so, and decides.
    if (!(error instanceof DatabaseError)) throw error
  }
}
