import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Environment } from '../../processes/environment.ts'
import type { InteractiveChild } from '../../processes/run.ts'

/** Private folder of one connection. */
type ConnectionFolder = { readonly path: string; remove(): Promise<void> }

export type ConnectionFolders = {
  /** Rejects as node:fs does. */
  create(): Promise<ConnectionFolder>
}

/** File of a connection's folder with the id of its process group. */
export const pidFile = 'pid'

/**
 * Waits until this program is gone, then ends the connections that it has left: ssh itself goes on as long as a script
 * on the host does, or a host that does not close.
 */
const guard =
  'exec >/dev/null 2>&1; while read -r _; do :; done; for f in "$0"/*/pid; do read -r p <"$f" && kill -s KILL -- "-$p"; done; rm -rf -- "$0"'

/** Bytes of a temporary folder below which ssh can make its socket: it has 104 on macOS, and needs 42 for names. */
const maxTemporary = 60

const removeAll = (path: string): Promise<void> =>
  rm(path, { recursive: true, force: true }).catch(() => undefined)

/** Creates folders in a common one, which goes with the last of them. */
export function createConnectionFolders(env: Environment): ConnectionFolders {
  type Common = { readonly path: string; readonly guard: InteractiveChild }
  type Entry = { readonly opened: Promise<Common>; users: number }
  let current: Entry | undefined
  let created = 0

  const open = async (): Promise<Common> => {
    const { startInteractive } = await import('../../processes/run.ts')
    const temporary = Buffer.byteLength(tmpdir()) > maxTemporary ? '/tmp' : tmpdir()
    const path = await mkdtemp(join(temporary, 'muster-ssh-'))
    const child = startInteractive({ command: ['sh', '-c', guard, path], env })
    child.stdin.on('error', () => undefined)
    return { path, guard: child }
  }

  const replace = (entry: Entry): void => {
    if (current === entry) current = undefined
  }

  const release = async (entry: Entry): Promise<void> => {
    entry.users -= 1
    if (entry.users > 0) return
    replace(entry)
    const { path, guard } = await entry.opened
    guard.kill()
    await removeAll(path)
  }

  return {
    create: async () => {
      current ??= { opened: open(), users: 0 }
      const entry = current
      entry.users += 1
      created += 1
      const name = String(created)
      const common = await entry.opened.catch((error) => {
        replace(entry)
        throw error
      })
      const path = join(common.path, name)
      try {
        await mkdir(path, { mode: 0o700 })
      } catch (error) {
        await release(entry)
        throw error
      }
      let removed: Promise<void> | undefined
      return {
        path,
        remove: () => {
          removed ??= removeAll(path).then(() => release(entry))
          return removed
        },
      }
    },
  }
}
