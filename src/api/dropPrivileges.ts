import { folderOwner } from '../base/trustedFile.ts'
import type { ServerSettings } from '../contracts/serverSettings.ts'
import { readLinkedText } from './serverFiles.ts'
import { reasonOf, StartError } from './startError.ts'

/** User and primary group of a name in the text of /etc/passwd (passwd(5)); undefined when it is not there. */
function passwdEntry(text: string, name: string): { readonly uid: number; readonly gid: number } | undefined {
  const fields = text
    .split('\n')
    .map((line) => line.split(':'))
    .find(([itsName, , uid, gid]) => itsName === name && /^\d+$/.test(uid ?? '') && /^\d+$/.test(gid ?? ''))
  return fields && { uid: Number(fields[2]), gid: Number(fields[3]) }
}

/**
 * Becomes the `user` of the settings for good where root starts the server, before anything is
 * opened. Does nothing otherwise. Throws a `StartError`.
 */
export function dropPrivileges({ user, listen }: ServerSettings): void {
  if (user === undefined || process.geteuid?.() !== 0) return
  const entry = passwdEntry(readLinkedText('/etc/passwd', 'the list of users'), user)
  if (!entry)
    throw new StartError(`the user ${user} from the settings is not in /etc/passwd; create it first`)
  if (entry.uid !== 0 && listen !== null && listen.port > 0 && listen.port < 1024) {
    throw new StartError(
      `only root can open port ${listen.port}, and the server runs as ${user}; choose port 1024 or higher`,
    )
  }
  // The types of Node.js leave initgroups out (process.initgroups, POSIX only).
  const posix = process as NodeJS.Process & { initgroups(user: string, group: number): void }
  try {
    posix.initgroups(user, entry.gid)
    process.setgid?.(entry.gid)
    process.setuid?.(entry.uid)
  } catch (error) {
    throw new StartError(`cannot switch to the user ${user}: ${reasonOf(error)}`, error)
  }
}

/**
 * Becomes the owner of a file's folder for good, where root is about to work in a folder of another user: with
 * the owner's rights alone, nothing that lies there, links included, leads further than the owner could go. Throws a
 * `StartError`.
 */
export function dropPrivilegesToOwner(path: string): void {
  if (process.geteuid?.() !== 0) return
  try {
    const { uid, gid } = folderOwner(path)
    if (uid === 0) return
    process.setgroups?.([gid])
    process.setgid?.(gid)
    process.setuid?.(uid)
  } catch (error) {
    throw new StartError(`cannot switch to the owner of the folder of ${path}: ${reasonOf(error)}`, error)
  }
}
