import { randomUUID } from 'node:crypto'
import type { Caller } from '../../api/caller.ts'
import { ProblemError } from '../../api/problemError.ts'
import { type Call, isDry } from '../../api/serve.ts'
import { listOf } from '../../base/words.ts'
import { type ProblemCode, problems } from '../../contracts/problems.ts'
import type { ServicesMap } from '../../contracts/servicesMap.ts'
import { type Clock, realClock } from '../clock.ts'
import type { ChangeOrder, ConnectedManagers, ManagerAnswer } from './askManagers.ts'
import type { Manager } from './createManager.ts'
import { sourcesOf } from './dataSources.ts'
import type { ManagerState } from './managerState.ts'

/** Returns the author of a change for payloads and the state file: the user, or `socket` for a caller on the host. */
export const authorOf = (caller: Caller): string => (caller.kind === 'user' ? caller.user : 'socket')

/** Names a change to another manager, which is asked about it or makes it. */
export type ChangeQuery = { readonly peers: 'check' | 'alone'; readonly change: string }

/** Change of the map, of states or of a policy, which all managers of a service keep. */
export type SharedChange = {
  /** Call that makes it at another manager. */
  readonly order: (query: ChangeQuery) => Omit<ChangeOrder, 'names'>
  /** Data sources that it takes away from clients: nothing goes wrong where the managers of their hosts do not have it. */
  readonly without?: ReadonlySet<string>
  /** Returns true if it would change anything here; throws the problem with which this manager refuses it. Changes nothing. */
  readonly check: () => boolean | Promise<boolean>
  /** Changes servers, once all managers would take it; returns true if that changed anything. */
  readonly before?: () => Promise<boolean>
  /** Returns true if that changed anything. Throws problems, and then nothing changed. */
  readonly apply: () => boolean
}

/** Result of a change. */
export type Reach = {
  readonly changed: boolean
  /** Hosts whose managers have it; absent where no other one was told. */
  readonly managers?: string[]
  /** Sentences about what does not hold; each names its host or data source. */
  readonly remarks?: string[]
}

type ChangeCall = Pick<Call<unknown>, 'query' | 'caller' | 'authorization' | 'audit'>

/** Changes that reach all managers of a service, or none. */
export type SharedChanges = {
  /** True for a call that this manager brings to the others. */
  isLed(call: Pick<Call<unknown>, 'query'>): boolean
  /** Throws problems. */
  make(call: ChangeCall, change: SharedChange): Promise<Reach>
  /** Takes a change of another manager back; returns false if it was not made yet. Throws problems. */
  undo(id: string, by: string): boolean
}

/** Milliseconds that a manager waits for a change which it was asked about, and for the word to take it back. */
const limits = { reserved: 30_000, undo: 60_000 } as const

const withoutDot = (words: string): string => words.replace(/\.$/, '')

/** Codes that say as much of the call to this manager. */
const isOwnCode = (code: ProblemCode | undefined): code is ProblemCode =>
  code !== undefined && [409, 502, 504].includes(problems[code].status)

const wayOut =
  'Repair it, take it out with tapi datasource shun, or change the others alone with tapi --skip-unreachable.'

/**
 * Brings changes to all managers of a service: first each is asked whether it would take one, and expects nothing else
 * then; if all would, each makes it, this one last; if one could not, it is taken back from the others.
 */
export function createSharedChanges(options: {
  readonly manager: Manager
  /** Name of this host. */
  readonly host: string
  /** Undefined where this manager is the only one that it knows. */
  readonly others: Pick<ConnectedManagers, 'names' | 'change' | 'undo'> | undefined
  readonly after?: Clock['after']
}): SharedChanges {
  const { manager, host, others, after = realClock.after } = options
  type Reservation = {
    readonly id: string
    readonly by: string
    readonly map: ServicesMap
    readonly cancel: () => void
  }
  let reserved: Reservation | undefined
  type Made = {
    readonly by: string
    readonly before: ManagerState
    readonly after: ManagerState
  }
  const made = new Map<string, Made>()

  function refuseSecond(id: string | undefined): void {
    if (!reserved || reserved.id === id) return
    const detail = `${reserved.by} changes the services map or its states at the moment. Nothing was changed. Try again.`
    throw new ProblemError({ code: 'operation-running', detail })
  }
  function free(id: string): void {
    if (reserved?.id !== id) return
    reserved.cancel()
    reserved = undefined
  }
  function reserve(id: string, by: string): void {
    refuseSecond(id)
    reserved?.cancel()
    reserved = { id, by, map: manager.map(), cancel: after(limits.reserved, () => free(id)) }
  }
  /** Throws where the map is another one than the change was made for: a switch may have ended meanwhile. */
  function refuseStale(id: string): void {
    if (reserved?.id === id && reserved.map === manager.map()) return
    const detail = 'The services map changed meanwhile. Nothing was changed. Try again.'
    throw new ProblemError({ code: 'wrong-state', detail })
  }

  /** Makes a change here, for a caller that tells the others, if there are any. */
  async function makeHere(call: ChangeCall, change: SharedChange): Promise<Reach> {
    const { query, caller } = call
    const { change: id } = query
    refuseSecond(id)
    const wouldChange = await change.check()
    if (isDry(call)) return { changed: wouldChange }
    const isMore = (await change.before?.()) ?? false
    refuseSecond(id)
    if (id !== undefined) refuseStale(id)
    const before = manager.saved()
    const changed = change.apply()
    if (id !== undefined) {
      made.set(id, { by: authorOf(caller), before, after: manager.saved() })
      after(limits.undo, () => made.delete(id))
      free(id)
    }
    return { changed: changed || isMore }
  }

  async function checkHere({ query, caller }: ChangeCall, change: SharedChange): Promise<Reach> {
    const { change: id } = query
    if (id === undefined) {
      const detail = 'With peers=check the query parameter change has to name the change.'
      throw new ProblemError({ code: 'invalid-query', detail })
    }
    reserve(id, authorOf(caller))
    try {
      await change.check()
    } catch (error) {
      free(id)
      throw error
    }
    return { changed: false }
  }

  /** Returns true for a host whose manager has to have a change: clients may be connected to its data source then. */
  function isNeeded(name: string, { without }: SharedChange): boolean {
    const own = sourcesOf(manager.map()).filter((it) => it.name === name)
    return own.length === 0 || (!without?.has(name) && own.some((it) => manager.view(it).state === 'ONLINE'))
  }

  async function lead(
    call: ChangeCall,
    change: SharedChange,
    told: NonNullable<typeof others>,
  ): Promise<Reach> {
    const { caller, authorization, query } = call
    const by = authorOf(caller)
    const id = randomUUID()
    reserve(id, by)
    let takers: readonly string[] = []
    const at = (peers: 'check' | 'alone', names: readonly string[]): Promise<readonly ManagerAnswer[]> =>
      told.change({ ...change.order({ peers, change: id }), names }, authorization)
    try {
      const wouldChange = await change.check()
      const needed = (name: string): boolean => query.peers !== 'reachable' && isNeeded(name, change)
      if (told.names.length > 0 && authorization === undefined) {
        const detail =
          'The other managers take the change only with the login of a user. Nothing was changed. Send it by HTTP ' +
          'Basic, or with peers=alone to each of them.'
        throw new ProblemError({ code: 'wrong-state', detail })
      }
      const answers = await at('check', told.names)
      takers = answers.filter(({ problem }) => problem === undefined).map(({ name }) => name)
      const refusing = answers.find((it) => it.problem !== undefined && it.code !== 'manager-unreachable')
      if (refusing) {
        const code = isOwnCode(refusing.code) ? refusing.code : 'wrong-state'
        throw new ProblemError({ code, detail: `Nothing was changed. ${refusing.problem}` })
      }
      const absent = answers.filter(({ problem }) => problem !== undefined)
      const [missing] = absent.filter(({ name }) => needed(name))
      if (missing) {
        const detail = `The manager of ${missing.name} does not answer, and nothing was changed: ${missing.problem} ${wayOut}`
        throw new ProblemError({ code: 'manager-unreachable', detail })
      }
      if (isDry(call)) {
        await told.undo({ id, names: takers }, authorization)
        return { changed: wouldChange }
      }
      const isMore = (await change.before?.()) ?? false
      const ends = await at('alone', takers)
      const failed = ends.find(({ problem }) => problem !== undefined)
      if (failed) {
        const code = isOwnCode(failed.code) ? failed.code : 'wrong-state'
        throw new ProblemError({
          code,
          detail: `The manager of ${failed.name} did not make the change: ${failed.problem}`,
        })
      }
      refuseStale(id)
      const changed = change.apply()
      const remarks = [
        ...absent.map(({ name, problem }) => `${name} does not have it: ${problem}`),
        ...ends.flatMap(({ remarks = [] }) => remarks),
      ]
      return {
        changed: changed || isMore || ends.some((it) => it.changed === true),
        managers: [host, ...takers],
        ...(remarks.length > 0 && { remarks }),
      }
    } catch (error) {
      const left = takers.length === 0 ? [] : await told.undo({ id, names: takers }, authorization)
      const kept = left.filter(({ problem }) => problem !== undefined)
      if (kept.length === 0 || !(error instanceof ProblemError)) throw error
      const names = listOf(kept.map(({ name }) => name))
      const detail =
        `${withoutDot(error.message)}. ${names} may have it all the same: ${kept[0]?.problem} ` +
        'Look at it with tapi --all status, and repeat the change or its opposite.'
      throw new ProblemError({ code: error.code, detail })
    } finally {
      free(id)
    }
  }

  const isLed: SharedChanges['isLed'] = ({ query }) =>
    others !== undefined && query.peers !== 'alone' && query.peers !== 'check'

  return {
    isLed,
    make: (call, change) => {
      const { peers, change: id } = call.query
      if (peers !== undefined) call.audit({ parameters: { peers, ...(id !== undefined && { change: id }) } })
      if (peers === 'check') return checkHere(call, change)
      return others && isLed(call) ? lead(call, change, others) : makeHere(call, change)
    },
    undo: (id, by) => {
      const done = made.get(id)
      const isReserved = reserved?.id === id && reserved.by === by
      if (!isReserved && done?.by !== by) {
        const detail = 'This manager has made no change of that id for this user within the last minute.'
        throw new ProblemError({ code: 'not-found', detail })
      }
      free(id)
      if (!done) return false
      if (manager.saved() !== done.after) {
        const detail = 'Something else changed here since, so the change stays.'
        throw new ProblemError({ code: 'wrong-state', detail })
      }
      made.delete(id)
      manager.restore(done.before)
      return done.before !== done.after
    },
  }
}
