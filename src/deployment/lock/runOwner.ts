import { parseJsonObject } from '../../base/json.ts'
import { compactTime } from '../../base/time.ts'

/** Owner of a run, written to the lock of each host and to the record of the run. No secrets. */
export type RunOwner = {
  /** Id of one run: its start and a few random digits, such as `20260102T030405Z-1a2b3c`. */
  readonly id: string
  readonly operation: string
  readonly cluster: string
  /** The operator's user name and machine, and the machine's id (machine-id(5)) where it has one. */
  readonly user: string
  readonly machine: string
  readonly machineId?: string
  readonly pid: number
  /** Start of the process in clock ticks since boot; together with the pid it is unique. */
  readonly started?: string
}

/** Returns the id of a run; `random` is hexadecimal. */
export const runId = (now: Date, random: string): string => `${compactTime(now)}-${random}`

const idPattern = /^[\w-]{1,64}$/
const unprintable = /\p{C}/gu
const maxTextLength = 200

/**
 * Returns true for a pid that is safe for `kill`: 0 and negative numbers mean several processes. In a container
 * muster's own pid may be 1.
 */
const isPid = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value > 0 && value < 2 ** 31

/** Parses the owner that another run wrote; undefined if muster did not write it. Rejects unprintable text. */
export function parseRunOwner(text: string): RunOwner | undefined {
  const found = parseJsonObject(text)
  if (found === undefined) return undefined
  const words = (name: string): string | undefined => {
    const value = found[name]
    return typeof value === 'string' ? value.replaceAll(unprintable, '').slice(0, maxTextLength) : undefined
  }
  const [id, operation, cluster] = [words('id'), words('operation'), words('cluster')]
  const [user, machine, pid] = [words('user'), words('machine'), found.pid]
  if (id === undefined || !idPattern.test(id) || !isPid(pid)) return undefined
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
 * Returns true if a run has certainly ended: it belongs to this machine and its process no longer exists. For another
 * machine this cannot be known.
 */
export function hasRunEnded(
  owner: RunOwner,
  me: RunOwner,
  runs: (pid: number, started: string | undefined) => boolean,
): boolean {
  const ours =
    owner.machineId !== undefined && owner.machineId === me.machineId && owner.machine === me.machine
  return ours && !runs(owner.pid, owner.started)
}
