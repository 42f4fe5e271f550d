import { execFileSync } from 'node:child_process'
import { setTimeout as wait } from 'node:timers/promises'
import { StartError } from '../../api/startError.ts'
import type { ServerSettings } from '../../contracts/serverSettings.ts'
import { isServer, ownSource, serverAt, unitOf } from '../localServer.ts'

/** Milliseconds until a process is gone that was killed. */
const endLimit = 10_000

/**
 * Kills the database server of a manager's host and starts its unit again, where the settings name one, exactly one listens at
 * its port, and a service of systemd runs it. Throws a `StartError` otherwise, and then nothing was done.
 */
export async function crashOwnServer(settings: Pick<ServerSettings, 'services' | 'member'>) {
  const { port } = ownSource(settings)
  const pid = serverAt(port)
  if (pid === undefined) throw new StartError(`no MariaDB or MySQL listens at port ${port} of this host`)
  const unit = unitOf(pid)
  if (unit === undefined) {
    throw new StartError(
      `the server at port ${port} (process ${pid}) is no service of systemd: kill it, and start it`,
    )
  }
  process.kill(pid, 'SIGKILL')
  const end = performance.now() + endLimit
  while (isServer(pid) && performance.now() < end) await wait(20)
  execFileSync('systemctl', ['start', '--no-block', '--', unit], { stdio: ['ignore', 'inherit', 'inherit'] })
  process.stdout.write(`killed the server at port ${port} (process ${pid}) and started ${unit}\n`)
}
