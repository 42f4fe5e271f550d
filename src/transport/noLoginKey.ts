import { basename, dirname } from 'node:path'
import type { KeyWish } from './destination.ts'
import type { KeyFile } from './keyFile.ts'
import { TransportError } from './transportError.ts'

/** There is no key to log in with: what was looked at, and what stood in the way of each. */
export function noLoginKey(found: {
  /** Of the host. */
  readonly label: string
  readonly wish: KeyWish
  readonly files: readonly KeyFile[]
  /** Why none of the agent's serves. */
  readonly agent: string
  /** What came of unlocking. */
  readonly trouble: readonly string[]
}): TransportError {
  const { label, wish, files, agent, trouble } = found
  const locked = files.filter(({ kind }) => kind === 'locked').map(({ path }) => path)
  const unusable = files.flatMap((file) => (file.kind === 'unusable' ? [`${file.path} ${file.why}`] : []))
  const why = [agent, ...unusable, ...trouble]
  return new TransportError({
    host: label,
    code: 'no-login-method',
    message:
      locked.length === 0
        ? `there is no key to log in to ${label} with: ${why.join(', ')}, and ${absent(wish)}`
        : `the only keys to log in to ${label} with have a passphrase (${locked.join(', ')}), and ${why.join(', ')}`,
    fix:
      locked.length === 0
        ? 'Make a key with "ssh-keygen -t ed25519" and put it on the host with ssh-copy-id, or name one as identity under ssh.'
        : unlockFix(locked),
  })
}

/** Which files would have been taken. */
function absent({ first, files }: KeyWish): string {
  const paths = [...first, ...files]
  const folders = new Set(paths.map((path) => dirname(path)))
  const [folder] = folders
  return folders.size === 1 && paths.length > 1
    ? `${folder} has none of ${paths.map((path) => basename(path)).join(', ')}`
    : `there is no other key than ${paths.join(', ')}`
}

/** How to mend a file whose format cannot be opened here. */
export const rewriteFix = (path: string): string =>
  `Write it anew in the format of OpenSSH: ssh-keygen -p -f ${path}`

/** How to use keys that have a passphrase. */
export const unlockFix = (paths: readonly string[]): string =>
  `Give it to an agent: eval "$(ssh-agent)"; ssh-add ${paths.join(' ')}`
