import { readlinkSync } from 'node:fs'
import type { LabHost } from '../support/labTypes.ts'
import { argumentsOf, processIds } from '../support/processTable.ts'

const namespaceOf = (pid: number | string): string | undefined => {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`)
  } catch {
    return undefined
  }
}

/** Returns the processes of a host whose arguments are such, as this machine numbers them: a signal to one is there at once. */
export function processesOf(
  host: LabHost,
  isWanted: (words: readonly string[]) => boolean,
): readonly number[] {
  const init = /^\/proc\/(\d+)\/root$/.exec(host.root())?.[1] ?? ''
  const own = namespaceOf(init)
  return processIds().filter((pid) => isWanted(argumentsOf(pid)) && namespaceOf(pid) === own)
}

/** Returns the first process of a host one of whose arguments ends so. Throws where there is none. */
export function processOf(host: LabHost, argument: string): number {
  const [found] = processesOf(host, (words) => words.some((word) => word.endsWith(argument)))
  if (found === undefined) throw new Error(`no process of ${host.name} with ${argument}`)
  return found
}
