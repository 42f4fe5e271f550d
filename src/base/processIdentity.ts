import { readFileSync } from 'node:fs'
import { hostname, userInfo } from 'node:os'
import { errorCode } from './systemErrors.ts'

/** Fields of /proc/<pid>/stat from the third on (proc(5)); none when there is no such process, or no /proc. */
function statFields(pid: number | 'self'): readonly string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // Field 2 is the program's name in parentheses and may hold anything, even spaces and parentheses.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return []
  }
}

/**
 * Returns when a process started, in clock ticks since boot (field 22 of /proc/<pid>/stat), which with the pid names
 * one process for ever. Undefined when there is no such process, or no /proc.
 */
export const processStart = (pid: number | 'self'): string | undefined => statFields(pid)[19]

/** Returns true while the process with this pid and start time runs; a zombie does not. */
export function processRuns(pid: number, start: string | undefined): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // EPERM: it runs and belongs to somebody else.
    if (errorCode(error) !== 'EPERM') return false
  }
  const [state, now] = [statFields(pid)[0], processStart(pid)]
  if (state === 'Z') return false
  return start === undefined || now === undefined || now === start
}

/** Names one process for ever: a later one with the same pid started at another time. */
export type ProcessIdentity = {
  readonly pid: number
  /** Clock ticks since boot; absent where there is no /proc. */
  readonly started?: string
  readonly machine: string
}

export function ownIdentity(): ProcessIdentity {
  const started = processStart('self')
  return { pid: process.pid, machine: hostname(), ...(started === undefined ? {} : { started }) }
}

/** Returns true while that process runs; one of another machine counts as running, since nobody can tell from here. */
export const isRunning = (one: ProcessIdentity): boolean =>
  one.machine !== hostname() || processRuns(one.pid, one.started)

/** Describes this process and its user, as locks on hosts and records of runs name them. machine-id(5) where there is one. */
export function thisProcess(): ProcessIdentity & { readonly user: string; readonly machineId?: string } {
  const { pid, machine, started } = ownIdentity()
  const machineId = readMachineId()
  return {
    user: userName(),
    machine,
    pid,
    ...(machineId === undefined ? {} : { machineId }),
    ...(started === undefined ? {} : { started }),
  }
}

function readMachineId(): string | undefined {
  try {
    return readFileSync('/etc/machine-id', 'utf8').trim() || undefined
  } catch {
    return undefined
  }
}

/** A user without an entry in the user database has a number only. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return String(process.getuid?.() ?? 'unknown')
  }
}
