import { readFileSync } from 'node:fs'
import { hostname, userInfo } from 'node:os'
import { processStart } from '../../accounts/processStart.ts'

/** This process, its user and its machine, as locks and records name them. machine-id(5) where there is one. */
export function thisProcess(): {
  readonly user: string
  readonly machine: string
  readonly machineId?: string
  readonly pid: number
  readonly started?: string
} {
  const started = processStart('self')
  const machineId = readMachineId()
  return {
    user: userName(),
    machine: hostname(),
    pid: process.pid,
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
