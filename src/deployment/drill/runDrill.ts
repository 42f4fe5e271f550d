import type { CallClock } from '../../client/call.ts'
import { drillWriters } from '../../contracts/drilling.ts'
import type { Secret } from '../../secrets/secret.ts'
import type { Transport } from '../../transport/transport.ts'
import { failureOf } from '../hostFailure.ts'
import { managerOf } from '../switchPrimary.ts'
import { type DrillHost, notDrilled, orders, writeRows } from './hostOrders.ts'
import type { DrillPlan } from './planDrill.ts'
import { createRowLedger, type RowLedger, type RowProof } from './rowLedger.ts'
import { type DrillMoments, watchService } from './watchService.ts'

/** Steps of a drill, in this order. */
export type DrillStep = 'prepare' | 'write' | 'strike' | 'heal' | 'prove' | 'remove'

export type DrillReport = {
  readonly plan: DrillPlan
  /** Time of the fault; the moments are milliseconds since then. */
  readonly struck: Date
  readonly moments: DrillMoments
  /** Null where no manager names one. */
  readonly newPrimary: string | null
  readonly rows: {
    readonly acknowledged: number
    /** Milliseconds of a writer between two acknowledged rows, from the fault on. */
    readonly longestPause: number
    readonly refused: ReturnType<RowLedger['refused']>
  }
  /** Of each server; a text says why its rows could not be read. What one lacks that does not follow is not lost. */
  readonly proofs: readonly {
    readonly host: string
    readonly follows: boolean
    readonly proof: RowProof | string
  }[]
  /** Things that are not as before, or were not seen to be. */
  readonly problems: readonly string[]
  readonly interrupted: boolean
}

/** Milliseconds: until rows are written, and until all servers have what the primary has; each look at those starts programs. */
const limits = { ready: 15_000, equal: 30_000, look: 1000, pause: 200 }

/** Rows of each writer before the fault. */
const warmUp = 20

type Options = {
  readonly plan: DrillPlan
  /** All hosts of the service that have a manager. */
  readonly hosts: readonly DrillHost[]
  readonly writer: DrillHost
  /** Opens a further connection to the host of the writers, which works beside the one that has its lock. */
  readonly connect: () => Promise<Transport>
  readonly cluster: string
  readonly onStep: (step: DrillStep) => void
  readonly onMoment: Parameters<typeof watchService>[0]['onMoment']
  readonly clock: CallClock
  readonly now: () => Date
  readonly signal: AbortSignal
}

/**
 * Makes a fault under writers, undoes it, and proves on each server that it has all that was acknowledged. The signal ends the
 * fault early, not what follows. Rejects where the fault could not be made, once all is as before.
 */
export async function runDrill(options: Options): Promise<DrillReport> {
  const { plan, hosts, clock, signal, onStep } = options
  const ledger = createRowLedger(clock.now)
  let isStruck = false
  try {
    onStep('prepare')
    const primary = at(hosts, plan.primary)
    // A server that still has an earlier one would pass for one that has this.
    if (plan.hasRemains) {
      await orders.remove(primary)
      await untilLedger(options, 'none')
    }
    const password = await orders.prepare(primary)
    await untilLedger(options, 'own')
    onStep('write')
    const { struck, watch, problems, ended } = await withWriters(
      { ...options, ledger, password },
      async (ended) => {
        await untilWritten(options, { ledger, ended })
        onStep('strike')
        isStruck = true
        await orders.strike(at(hosts, plan.host), plan.fault, plan.others)
        const struck = options.now()
        const managers = hosts.map((it) => managerOf(it, options))
        const watch = watchService({ ...options, managers, ledger })
        await watch.untilHandled(() => ended() !== undefined)
        onStep('heal')
        const left = await undo(options)
        return { struck, watch, ended, problems: [...left, ...(await watch.untilWhole())] }
      },
    )
    const last = watch.primary() ?? plan.primary
    onStep('prove')
    const away = watch.away().filter((name) => name !== last)
    const proofs = await proveRows(options, { primary: last, away, ledger })
    onStep('remove')
    const left = await removeLedger(options, { primary: last, away })
    const why = ended()
    const moments = watch.moments()
    const interrupted = signal.aborted
    const isSilent = moments.row === undefined && !interrupted
    return {
      ...{ plan, struck, proofs, moments, newPrimary: watch.primary(), interrupted },
      rows: {
        acknowledged: ledger.count(),
        longestPause: Math.round(ledger.longestPause(watch.struckAt)),
        refused: ledger.refused(),
      },
      problems: [
        ...(why === undefined ? [] : [`the writers ended early: ${why}`]),
        ...(isSilent ? ['no row was acknowledged after the fault'] : []),
        ...problems,
        ...left,
      ],
    }
  } catch (error) {
    const left = [
      ...(isStruck ? await undo(options) : []),
      ...(await removeLedger(options, { primary: plan.primary, away: [] })),
    ]
    if (left.length === 0) throw error
    const { message, fix } = failureOf(error)
    throw notDrilled(plan.host, [message, ...left].join('; '), fix)
  }
}

function at(hosts: readonly DrillHost[], name: string): DrillHost {
  const found = hosts.find(({ host }) => host.name === name)
  if (!found) throw notDrilled(name, 'it has no manager', 'Install it.')
  return found
}

const serversOf = ({ hosts, plan }: Options): readonly DrillHost[] =>
  plan.servers.map((name) => at(hosts, name))

/** Returns why an attempt failed. */
const reasonOf = (error: unknown): string => failureOf(error).message

/** Waits until all servers but those that are away have a ledger, or none; returns what a server has instead after a while. */
async function withLedger(
  options: Options,
  wanted: 'own' | 'none',
  away: readonly string[] = [],
): Promise<string | undefined> {
  const { clock } = options
  const until = clock.now() + limits.equal
  const servers = serversOf(options).filter(({ host }) => !away.includes(host.name))
  for (;;) {
    const seen = await Promise.all(
      servers.map((it) =>
        orders.look(it, { others: [] }).then(
          ({ ledger }) => (ledger === wanted ? [] : [it.host.name]),
          (error: unknown) => [`${it.host.name} (${reasonOf(error)})`],
        ),
      ),
    )
    const [first] = seen.flat()
    if (first === undefined) return undefined
    if (clock.now() > until)
      return `the ledger ${wanted === 'own' ? 'did not reach' : 'is still on'} ${first}`
    await clock.wait(limits.look)
  }
}

/** Does the same, and rejects with a `StepError` for what a server has instead. */
async function untilLedger(options: Options, wanted: 'own' | 'none'): Promise<void> {
  const lacking = await withLedger(options, wanted)
  if (lacking !== undefined) throw notDrilled(options.plan.primary, lacking, 'Look with `muster status`.')
}

/** Does `work` while rows are written; it gets what returns why the writers have ended, if they have. */
async function withWriters<Result>(
  options: Options & { readonly ledger: RowLedger; readonly password: Secret },
  work: (ended: () => string | undefined) => Promise<Result>,
): Promise<Result> {
  const { writer, ledger, password } = options
  const transport = await options.connect()
  const stop = new AbortController()
  let failure: string | undefined
  const onLine = ledger.add
  const writing = writeRows(writer, { transport, password, onLine, signal: stop.signal }).then(
    () => {
      if (!stop.signal.aborted) failure = 'their time is over'
    },
    (error: unknown) => {
      if (!stop.signal.aborted) failure = reasonOf(error)
    },
  )
  try {
    return await work(() => failure)
  } finally {
    stop.abort()
    await writing
    await transport.close()
  }
}

/** Waits until each writer writes. Rejects with a `StepError` where one does not. */
async function untilWritten(
  { plan, clock, signal }: Options,
  { ledger, ended }: { readonly ledger: RowLedger; readonly ended: () => string | undefined },
): Promise<void> {
  const until = clock.now() + limits.ready
  while (ledger.fewestAfter(0, drillWriters) < warmUp) {
    const [refused] = ledger.refused().messages
    const why = ended() ?? (clock.now() > until ? (refused?.message ?? 'no row was acknowledged') : undefined)
    if (why !== undefined) {
      const message = `rows cannot be written through its connector: ${why}`
      throw notDrilled(plan.through.host, message, 'Remove the cause, and try again.')
    }
    await clock.wait(limits.pause)
    signal.throwIfAborted()
  }
}

/** Undoes the fault, and returns why it could not. */
const undo = ({ plan, hosts }: Options): Promise<readonly string[]> =>
  orders.heal(at(hosts, plan.host)).then(
    () => [],
    (error: unknown) => [
      `the fault was not undone by muster, and its host does so by itself: ${reasonOf(error)}`,
    ],
  )

/** A server that does not follow is not waited for. */
type Last = { readonly primary: string; readonly away: readonly string[] }

/** Compares the rows of each server with what was acknowledged, once it has those of the primary. */
async function proveRows(
  options: Options,
  { primary, away, ledger }: Last & { readonly ledger: RowLedger },
): Promise<DrillReport['proofs']> {
  const { clock, hosts } = options
  const until = clock.now() + limits.equal
  const wanted = await orders.read(at(hosts, primary)).then(
    (rows) => JSON.stringify(rows),
    () => undefined,
  )
  const prove = async (it: DrillHost, isAway: boolean): Promise<RowProof | string> => {
    for (;;) {
      const isLast = isAway || clock.now() > until
      try {
        const rows = await orders.read(it)
        if (JSON.stringify(rows) === wanted || isLast) return ledger.prove(rows)
      } catch (error) {
        if (isLast) return reasonOf(error)
      }
      await clock.wait(limits.look)
    }
  }
  return Promise.all(
    serversOf(options).map(async (it) => {
      const { name } = it.host
      const isAway = away.includes(name)
      return { host: name, follows: !isAway, proof: await prove(it, isAway) }
    }),
  )
}

/** Removes ledger and account; returns why they are still there. */
async function removeLedger(options: Options, { primary, away }: Last): Promise<readonly string[]> {
  const why = await orders.remove(at(options.hosts, primary)).then(
    () => withLedger(options, 'none', away),
    (error: unknown) => `the ledger could not be removed: ${reasonOf(error)}`,
  )
  return why === undefined ? [] : [`${why}; the next drill removes it`]
}
