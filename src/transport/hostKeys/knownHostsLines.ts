import { createHmac } from 'node:crypto'
import type { Destination } from '../destination.ts'
import { knownHostsName } from './hostKeyPolicy.ts'
import { type KnownHost, typeOfKey } from './knownHosts.ts'

/** Bytes of salt in a hashed name: the size of a SHA-1 digest (hostfile.c of OpenSSH). */
const saltLength = 20

/** Returns the file to which ssh adds new keys; undefined without known_hosts files. */
export const fileForNewKeys = ({ check }: Pick<Destination, 'check'>): string | undefined => check.files[0]

/** Returns true if ssh_config asks for hashed names (HashKnownHosts), or the file already has some. */
export const hashesNames = ({ check }: Pick<Destination, 'check'>, entries: readonly KnownHost[]): boolean =>
  check.hashed === true ||
  entries.some(({ file, hosts }) => file === check.files[0] && hosts.startsWith('|1|'))

/** Builds the known_hosts lines that ssh itself would add for a server, one per key. */
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
