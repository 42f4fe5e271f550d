import { readFileSync } from 'node:fs'
import { errorCode } from '../untrusted/systemErrors.ts'

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
 * When a process started, in clock ticks since boot: field 22 of /proc/<pid>/stat. With the pid it names one
 * process for ever. Undefined when there is no such process, or no /proc to ask.
 */
export const processStart = (pid: number | 'self'): string | undefined => statFields(pid)[19]

/** Whether the process that had this pid and start time still runs; one that only waits to be buried does not. */
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
