import type { ParsedKey } from 'ssh2'
import type { Secret } from '../secrets/secret.ts'
import { isPkcs8, type KeyFile, type KeyWorld, unlock } from './keyFile.ts'
import type { Once } from './once.ts'

/** What opening keys needs of the world. */
export type UnlockWorld = KeyWorld & {
  /** Asks a person for a file's passphrase; undefined where there is nobody to ask, or no answer. */
  readonly askPassphrase?: (path: string) => Promise<Secret | undefined>
  /** Many hosts share an agent and files: each is read once, and nobody is asked twice. */
  readonly once: Once
}

/** Times that a person is asked for one passphrase, as ssh does. */
const passphraseAttempts = 3

/** The key of a locked file with the passphrase that a person gives; else why not, empty where nobody can be asked. */
export const unlocked = (
  file: Extract<KeyFile, { kind: 'locked' }>,
  world: UnlockWorld,
): Promise<ParsedKey | string> => world.once(`unlock ${file.path}`, () => unlockNow(file, world))

async function unlockNow(
  { path, text }: Extract<KeyFile, { kind: 'locked' }>,
  world: UnlockWorld,
): Promise<ParsedKey | string> {
  if (isPkcs8(text)) return 'is an encrypted PKCS#8 file, which cannot be opened here'
  for (let attempt = 0; attempt < passphraseAttempts; attempt += 1) {
    const passphrase = await world.askPassphrase?.(path)
    if (passphrase === undefined) return attempt === 0 ? '' : 'has another passphrase'
    const key = unlock(text, passphrase, world)
    if (key !== undefined) return key
  }
  return 'has another passphrase'
}
