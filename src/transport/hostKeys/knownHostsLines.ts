import { createHmac } from 'node:crypto'
import type { Destination } from '../destination.ts'
import { knownHostsName } from './hostKeyPolicy.ts'
import { type KnownHost, typeOfKey } from './knownHosts.ts'

/** Bytes of salt of a hashed name: as many as SHA-1 gives (hostfile.c of OpenSSH). */
export const saltLength = 20

/** Where ssh itself would write a new key down; undefined where it knows no file to write. */
export const fileForNewKeys = ({ check }: Pick<Destination, 'check'>): string | undefined => check.files[0]

/** Whether names are hashed: where ssh_config says so (HashKnownHosts), and in a file that has hashed ones. */
export const hashesNames = ({ check }: Pick<Destination, 'check'>, entries: readonly KnownHost[]): boolean =>
  check.hashed === true ||
  entries.some(({ file, hosts }) => file === check.files[0] && hosts.startsWith('|1|'))

/** The lines that ssh itself would add for a server: one for each key, under the name that ssh looks under. */
export function knownHostsLines(
  server: Pick<Destination, 'label' | 'port' | 'check'>,
  options: {
    readonly keys: readonly Buffer[]
    readonly hashed: boolean
    readonly random: (bytes: number) => Buffer
  },
): readonly string[] {
  const { keys, hashed, random } = options
  const name = knownHostsName(server).toLowerCase()
  return keys.map((key) => {
    const host = hashed ? hashedName(name, random(saltLength)) : name
    return `${host} ${typeOfKey(key) ?? ''} ${key.toString('base64')}`
  })
}

/** `|1|salt|hash` (sshd(8), "SSH_KNOWN_HOSTS FILE FORMAT"). */
const hashedName = (name: string, salt: Buffer): string =>
  `|1|${salt.toString('base64')}|${createHmac('sha1', salt).update(name).digest('base64')}`
