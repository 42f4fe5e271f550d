import { parseJsonObject } from '../../base/json.ts'
import { compactTime } from '../../base/time.ts'

/** Who a run belongs to: what the lock on each host and the record of the run say of it. No secrets. */
export type RunOwner = {
  /** Names one run: its start and a few random digits, such as `20260102T030405Z-1a2b3c`. */
  readonly id: string
  readonly operation: string
  readonly cluster: string
  /** The operator's user name and machine, and the machine's id (machine-id(5)) where it has one. */
  readonly user: string
  readonly machine: string
  readonly machineId?: string
  readonly pid: number
  /** When the process started, in clock ticks since boot: with the pid it names one process for ever. */
  readonly started?: string
}

/** A run's id; `random` is hexadecimal. */
export const runId = (now: Date, random: string): string => `${compactTime(now)}-${random}`

const idForm = /^[\w-]{1,64}$/
const unseen = /\p{C}/gu
const longest = 200

/** `kill` takes 0 and negative numbers for many processes at once; in a container our own may be 1. */
const isPid = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value > 0 && value < 2 ** 31

/** Reads what another run wrote; undefined when no muster can have. Nothing unprintable is let through. */
export function parseRunOwner(text: string): RunOwner | undefined {
  const found = parseJsonObject(text)
  if (found === undefined) return undefined
  const words = (name: string): string | undefined => {
    const value = found[name]
    return typeof value === 'string' ? value.replaceAll(unseen, '').slice(0, longest) : undefined
  }
  const [id, operation, cluster] = [words('id'), words('operation'), words('cluster')]
  const [user, machine, pid] = [words('user'), words('machine'), found.pid]
  if (id === undefined || !idForm.test(id) || !isPid(pid)) return undefined
  if (operation === undefined || cluster === undefined) return undefined
  if (user === undefined || machine === undefined) return undefined
  const [machineId, started] = [words('machineId'), words('started')]
  return {
    ...{ id, operation, cluster, user, machine, pid },
    ...(machineId === undefined ? {} : { machineId }),
    ...(started === undefined ? {} : { started }),
  }
}

/**
 * Whether a run is known to be over: it was one of our own machine and its process is gone. Of another
 * machine nobody can tell from here.
 */
export function isOver(
  owner: RunOwner,
  me: RunOwner,
  runs: (pid: number, started: string | undefined) => boolean,
): boolean {
  const ours =
    owner.machineId !== undefined && owner.machineId === me.machineId && owner.machine === me.machine
  return ours && !runs(owner.pid, owner.started)
}
