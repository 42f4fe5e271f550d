import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { processIds } from '../support/processTable.ts'
import { betrays, type Sentinel } from './sentinel.ts'

/** A look at every process of this machine and, since they share its kernel, of every host of the lab. */
export type ProcessWatch = {
  /** Leaves the environment of one process out: the one that was told the password that way. Its arguments count. */
  allowEnvironment(pid: number): void
  /** Ends the watch; where the password was seen, such as `/proc/17/cmdline: npm pack`, and how often was looked. */
  stop(): Promise<{ readonly seen: readonly string[]; readonly looks: number }>
}

function read(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch {
    return Buffer.alloc(0)
  }
}

/** Reads arguments and environment of all processes again and again until it is stopped. */
export function watchProcesses(sentinel: Sentinel): ProcessWatch {
  const allowed = new Set<number>()
  const seen = new Set<string>()
  /** True for a child that has not begun its own program yet: until then, it shows what its parent was told. */
  const isStarting = (pid: number): boolean => {
    const parent = Number(/^PPid:\s+(\d+)$/m.exec(read(`/proc/${pid}/status`).toString('utf8'))?.[1])
    return allowed.has(parent) && read(`/proc/${pid}/cmdline`).equals(read(`/proc/${parent}/cmdline`))
  }
  const controller = new AbortController()
  let looks = 0
  const look = (): void => {
    looks += 1
    for (const pid of processIds()) {
      const files = allowed.has(pid) || isStarting(pid) ? ['cmdline'] : ['cmdline', 'environ']
      for (const file of files) {
        if (!betrays(sentinel, read(`/proc/${pid}/${file}`))) continue
        const program = read(`/proc/${pid}/comm`).toString('utf8').trim()
        seen.add(`/proc/${pid}/${file}: ${program}`)
      }
    }
  }
  const watching = (async () => {
    while (!controller.signal.aborted) {
      look()
      await delay(25)
    }
  })()
  return {
    allowEnvironment: (pid) => {
      allowed.add(pid)
    },
    stop: async () => {
      controller.abort()
      await watching
      return { seen: [...seen], looks }
    },
  }
}
