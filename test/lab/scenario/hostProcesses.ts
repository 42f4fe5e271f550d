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

/**
 * Returns the process of a host one of whose arguments ends so, as this machine numbers it: a signal to it is there at
 * once, other than one that is sent over SSH. Throws where there is none.
 */
export function processOf(host: LabHost, argument: string): number {
  const init = /^\/proc\/(\d+)\/root$/.exec(host.root())?.[1] ?? ''
  const own = namespaceOf(init)
  const found = processIds().find(
    (pid) => argumentsOf(pid).some((word) => word.endsWith(argument)) && namespaceOf(pid) === own,
  )
  if (found === undefined) throw new Error(`no process of ${host.name} with ${argument}`)
  return found
}
