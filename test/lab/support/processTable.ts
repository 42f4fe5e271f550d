import { readdirSync, readFileSync } from 'node:fs'

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

/** The fields of /proc/PID/stat behind the name, which may hold spaces; undefined for no such process (proc(5)). */
function stat(pid: number): readonly string[] | undefined {
  const text = read(`/proc/${pid}/stat`)
  return text?.slice(text.lastIndexOf(')') + 2).split(' ')
}

/** When a process started, in clock ticks since boot; undefined when there is none. With the pid it names one process for good. */
export const startTime = (pid: number): string | undefined => stat(pid)?.[19]

/** Whether a process runs; a zombie does not. */
export const runs = (pid: number): boolean => !['Z', 'X', undefined].includes(stat(pid)?.[0])

/** Returns true for a process that a signal stopped. */
export const isStopped = (pid: number): boolean => stat(pid)?.[0] === 'T'

/** Every process id of this machine. */
export const processIds = (): readonly number[] =>
  readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0)

/** The direct children of a process. */
export const childrenOf = (parent: number): readonly number[] =>
  processIds().filter((pid) => stat(pid)?.[1] === String(parent))

/** The arguments a process was started with; empty when there is none. */
export const argumentsOf = (pid: number): readonly string[] =>
  (read(`/proc/${pid}/cmdline`) ?? '').split('\0').filter((word) => word !== '')

/** The process id inside its own namespace: 1 for a container's first process. */
export function innermostPid(pid: number): number | undefined {
  const line = read(`/proc/${pid}/status`)
    ?.split('\n')
    .find((text) => text.startsWith('NSpid:'))
  return line === undefined ? undefined : Number(line.trim().split(/\s+/).at(-1))
}
