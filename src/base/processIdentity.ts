import { readFileSync, readlinkSync } from 'node:fs'
import { hostname, userInfo } from 'node:os'
import { sha256 } from './sha256.ts'
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

/** Limit of the walk to the first process, in case one ends meanwhile and its number is given out again. */
const maxAncestors = 1000

/** Yields the pid of the parent of this process, then that of its parent (field 4 of /proc/<pid>/stat), and so on. */
export function* ancestors(): Generator<number> {
  for (let at = process.ppid, depth = 0; at > 0 && depth < maxAncestors; depth += 1) {
    yield at
    at = Number(statFields(at)[1] ?? 0)
  }
}

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
  /**
   * Boot and pid namespace in which the pid is this process: containers, and machines that were copied, may have the
   * same host name. Absent without /proc.
   */
  readonly space?: string
}

/** The namespace of processes outside of every container (`PROC_PID_INIT_INO` of Linux). */
const outsideContainers = 'pid:[4026531836]'

function readOwnSpace(): { readonly boot: string; readonly namespace: string } | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return { boot, namespace: readlinkSync('/proc/self/ns/pid') }
  } catch {
    return undefined
  }
}

function ownSpace(): string | undefined {
  const own = readOwnSpace()
  return own && [own.boot, own.namespace, ...[readMachineId(own) ?? []].flat()].join(' ')
}

export function ownIdentity(): ProcessIdentity {
  const started = processStartTime('self')
  const space = ownSpace()
  return {
    ...{ pid: process.pid, machine: hostname() },
    ...(started === undefined ? {} : { started }),
    ...(space === undefined ? {} : { space }),
  }
}

/** Returns `here` if the pid can be looked up here, and `ended` for one of an earlier boot of this machine. */
function placeOf({ machine, space }: ProcessIdentity): 'here' | 'ended' | 'elsewhere' {
  if (machine !== hostname()) return 'elsewhere'
  const own = ownSpace()
  if (space === undefined || own === undefined || space === own) return 'here'
  const [boot, , machineId] = space.split(' ')
  const [ownBoot, , ownMachineId] = own.split(' ')
  return boot !== ownBoot && machineId !== undefined && machineId === ownMachineId ? 'ended' : 'elsewhere'
}

/** Returns true for a process that cannot be seen from here: of another machine, or of another container. */
export const isElsewhere = (one: ProcessIdentity): boolean => placeOf(one) === 'elsewhere'

/**
 * Returns true while that process runs. One that is elsewhere counts as running, since it cannot be checked from here.
 */
export function isRunning(one: ProcessIdentity): boolean {
  const place = placeOf(one)
  return place === 'elsewhere' || (place === 'here' && isProcessRunning(one.pid, one.started))
}

/**
 * Returns true if that process started this one, or one that did. The kernel says so: no other user's process can be
 * below ours. False without /proc, and for a process that was left to init.
 */
export function isAncestor(one: ProcessIdentity): boolean {
  const { pid, started } = one
  if (started === undefined || placeOf(one) !== 'here') return false
  for (const at of ancestors()) if (at === pid) return processStartTime(at) === started
  return false
}

/**
 * Describes this process and its user for locks on hosts and records of runs; with the machine-id(5) if there is one,
 * and in a container with an id of where its pids count, until it starts anew.
 */
export function thisProcess(): ProcessIdentity & { readonly user: string; readonly machineId?: string } {
  const { pid, machine, started } = ownIdentity()
  const machineId = readMachineId() ?? containerId()
  return {
    user: userName(),
    machine,
    pid,
    ...(machineId === undefined ? {} : { machineId }),
    ...(started === undefined ? {} : { started }),
  }
}

function containerId(own = readOwnSpace()): string | undefined {
  if (own === undefined || own.namespace === outsideContainers) return undefined
  return sha256(`${own.boot} ${own.namespace}`).slice(0, 32)
}

/** Undefined in a container, which may have the machine-id of its image or of the machine around it. */
function readMachineId(own = readOwnSpace()): string | undefined {
  if (own !== undefined && own.namespace !== outsideContainers) return undefined
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
