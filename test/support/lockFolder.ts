import { readFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { lockName } from '../../src/deployment/lock/lockScripts.ts'

/** Where the locks of this user lie. */
export const lockPlace =
  process.getuid?.() === 0 ? '/run/muster' : join(userInfo().homedir, '.local/state/muster/locks')

/** The folder that is the lock of an installation on this machine while a run of this user holds it. */
export function lockFolder(installDirectory: string): string {
  const name = lockName(installDirectory)
  if (process.getuid?.() === 0) return join(lockPlace, name)
  return join(lockPlace, `${name}-${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}`)
}
