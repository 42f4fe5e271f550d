import { DatabaseError } from '../../databases/databaseError.ts'
import { containsGtids, type GtidSet, gtidText, missingGtids } from '../../databases/gtidSet.ts'
import { errantGtids, leadTo, type Member, sourceNames } from '../replicationGraph.ts'
import { closeNodes, nodeOf, type OpenServer } from './nodes.ts'
import { type Left, type Look, look, type SwitchNode, type Timing } from './runSwitch.ts'

/**
 * Milliseconds between two readings of servers, and after which one that does not follow by then is reported. A server
 * follows once two readings in a row say so: threads that just started may yet fail.
 */
const limits = { pause: 200, end: 10_000 } as const

type Facts = {
  /** GTIDs that each follower has to have received; null where they are not known. */
  readonly wanted: GtidSet | null
  /** Sentence about what follows for a server that does not follow. */
  readonly later: string
}

type Read = { readonly node: SwitchNode; readonly look: Look }

const read = async (node: SwitchNode): Promise<Read> => ({ node, look: await look(node) })

const memberOf = ({ node, look }: Read): Member => {
  const { name, host, port } = node
  const common = { name, host, port, role: 'replica', state: 'ONLINE', failures: 0 } as const
  return look instanceof DatabaseError
    ? { ...common, look: { kind: 'unread' }, known: null }
    : { ...common, look: { kind: 'answered', reading: look }, known: look }
}

/** Returns what a position such as `0-3-190` of MariaDB stands for: everything of its domain up to that number. */
const upToPosition = (position: GtidSet): GtidSet => ({
  ranges: position.ranges,
  upTo: new Map(
    [...position.ranges].flatMap(([source, ranges]) => {
      const domain = /^(\d+)-\d+$/.exec(source)?.[1]
      return domain === undefined ? [] : [[domain, ranges.at(-1)?.[1] ?? 0] as const]
    }),
  ),
})

/** Returns why a server does not follow the primary, and what to do; undefined where it does. */
function problemOf(
  its: Read,
  { primary, wanted, later }: Pick<Facts, 'wanted' | 'later'> & { readonly primary: Read },
): string | undefined {
  const { look } = its
  const to = primary.node.name
  if (look instanceof DatabaseError) return `${look.message} ${later}`
  if (primary.look instanceof DatabaseError) return `${to} cannot be read: ${primary.look.message}`
  const members = [primary, its].map(memberOf)
  const [target] = members
  const [channel] = look.channels
  if (!channel || !target) return `It follows nobody. ${later}`
  if (leadTo(target, [channel], members, () => false) !== 'yes') {
    return `It follows ${sourceNames([channel], members)}. ${later}`
  }
  const errant = errantGtids(look, primary.look)
  if (errant) {
    return `It has transactions that ${to} does not have: ${gtidText(errant)}. Make it anew from a backup of ${to} (muster provision ${its.node.name}).`
  }
  const error = channel.applierError ?? channel.receiverError
  const why = error === null ? '' : ` (error ${error.number})`
  const fix = 'Remove the cause, then run tapi --component replicator online there.'
  if (channel.applier !== 'running') return `Its applier is stopped${why}. ${fix}`
  if (channel.receiver !== 'running') return `Its receiver does not run${why}. ${fix}`
  if (wanted === null || look.gtids === null) return undefined
  const missing = missingGtids(wanted, look.gtids)
  const received = channel.receivedGtids && upToPosition(channel.receivedGtids)
  if (missing.ranges.size === 0 || (received && containsGtids(received, missing))) return undefined
  return `It has not received ${gtidText(missing)} of ${to} yet. Look at it with tapi service status.`
}

/**
 * Reads the new primary and the servers that are to follow it again, ten seconds at most, until each of them does: its
 * threads run, it has nothing of its own, and it has received all that the primary had at the first reading. Resolves to
 * those that do not, and to the primary itself where that is none.
 */
export async function verifyFollowers(options: {
  readonly open: OpenServer
  readonly service: string
  readonly to: SwitchNode
  readonly followers: readonly SwitchNode[]
  readonly timing: Timing
  readonly later: string
}): Promise<readonly Left[]> {
  const { open, service, to, timing, later } = options
  const reopen = ({ name, host, port }: SwitchNode): SwitchNode =>
    nodeOf(open, { service, name, host, port, role: 'replica' })
  let nodes = [to, ...options.followers].map(reopen)
  const end = timing.now() + limits.end
  let wanted: GtidSet | null = null
  let isSeen = false
  try {
    for (;;) {
      const [primary, ...others] = (await Promise.all(nodes.map(read))) as [Read, ...Read[]]
      if (!(primary.look instanceof DatabaseError)) wanted ??= primary.look.gtids
      const left = [...ofPrimary(primary), ...ofOthers(others, { primary, wanted, later })]
      if ((left.length === 0 && isSeen) || timing.now() >= end) return left
      isSeen = left.length === 0
      // A connection that was lost stays so.
      nodes = [primary, ...others].map(({ node, look }) => {
        if (!(look instanceof DatabaseError)) return node
        node.server.close()
        return reopen(node)
      })
      await timing.wait(limits.pause)
    }
  } finally {
    closeNodes(nodes)
  }
}

function ofPrimary({ node: { name }, look }: Read): readonly Left[] {
  if (look instanceof DatabaseError) {
    return [{ name, remark: `${name} cannot be read since it is the primary: ${look.message}` }]
  }
  if (look.isWritable && look.channels.length === 0) return []
  const what = look.isWritable ? 'follows another server' : 'is read-only'
  return [{ name, remark: `${name} ${what} since it is the primary. Look at it with tapi service status.` }]
}

const ofOthers = (others: readonly Read[], facts: Parameters<typeof problemOf>[1]): readonly Left[] =>
  others.flatMap((it) => {
    const problem = problemOf(it, facts)
    const { name } = it.node
    return problem === undefined
      ? []
      : [{ name, remark: `${name} does not follow ${facts.primary.node.name}: ${problem}` }]
  })
