import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Component, components } from '../../../src/contracts/component.ts'

/** Pids by component of an installation, of those that have a pid file. */
export const pidsBelow = (directory: string): Readonly<Partial<Record<Component, number>>> =>
  Object.fromEntries(
    components.flatMap((component) => {
      const file = join(directory, 'share/processes', component)
      return existsSync(file) ? [[component, Number(readFileSync(file, 'utf8').split(' ')[0])]] : []
    }),
  )

/** Whether a process has not ended; a zombie has (proc(5)). */
export function runs(pid: number | undefined): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

/** Ends what an installation of a test still runs: only what its own pid files name. */
export function endProcesses(directory: string): void {
  for (const pid of Object.values(pidsBelow(directory))) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended already.
    }
  }
}
