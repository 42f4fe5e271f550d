import { readFileSync } from 'node:fs'
import { hostname, userInfo } from 'node:os'
import { errorCode } from './systemErrors.ts'

/**
 * Reads the fields of /proc/<pid>/stat from the third on (proc(5)); empty if there is no such process, or no
 * /proc.
 */
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
 * Returns the start of a process in clock ticks since boot (field 22 of /proc/<pid>/stat). With the pid it
 * identifies one process for ever. Undefined if there is no such process, or no /proc.
 */
export const processStartTime = (pid: number | 'self'): string | undefined => statFields(pid)[19]

/** Returns true while the process with this pid and start time runs; a zombie does not. */
export function isProcessRunning(pid: number, start: string | undefined): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // EPERM: it runs and belongs to somebody else.
    if (errorCode(error) !== 'EPERM') return false
  }
  const [state, now] = [statFields(pid)[0], processStartTime(pid)]
  if (state === 'Z') return false
  return start === undefined || now === undefined || now === start
}

/** Identifies one process for ever: a later one with the same pid has another start. */
export type ProcessIdentity = {
  readonly pid: number
  /** Clock ticks since boot; absent without /proc. */
  readonly started?: string
  readonly machine: string
}

export function ownIdentity(): ProcessIdentity {
  const started = processStartTime('self')
  return { pid: process.pid, machine: hostname(), ...(started === undefined ? {} : { started }) }
}

/**
 * Returns true while that process runs. A process of another machine counts as running, since it cannot be
 * checked from here.
 */
export const isRunning = (one: ProcessIdentity): boolean =>
  one.machine !== hostname() || isProcessRunning(one.pid, one.started)

/**
 * Describes this process and its user for locks on hosts and records of runs; the machine-id(5) if there is
 * one.
 */
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

/** Returns the user's number if the user database has no name for it. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return String(process.getuid?.() ?? 'unknown')
  }
}
