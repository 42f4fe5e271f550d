import { readFileSync } from 'node:fs'

/**
 * When a process started, in clock ticks since boot: field 22 of /proc/<pid>/stat (proc(5)). With the pid it
 * names one process for ever. Undefined when there is no such process, or no /proc to ask.
 */
export function processStart(pid: number | 'self'): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // Field 2 is the program's name in parentheses and may hold anything, even spaces and parentheses.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  } catch {
    return undefined
  }
}

/** Whether the process that had this pid and start time still runs. */
export function processRuns(pid: number, start: string | undefined): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    // EPERM: it runs and belongs to somebody else.
    if (!(error instanceof Error && 'code' in error && error.code === 'EPERM')) return false
  }
  const now = processStart(pid)
  return start === undefined || now === undefined || now === start
}
