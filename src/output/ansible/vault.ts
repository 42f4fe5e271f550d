import { createCipheriv, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'

const header = '$ANSIBLE_VAULT;1.1;AES256'

/** Rounds of PBKDF2, as `ansible-vault` has them fixed. */
const rounds = 10_000

/**
 * Seals bytes as `ansible-vault encrypt` does (docs.ansible.com, "Format of files encrypted with Ansible Vault").
 * Ansible takes away the white space around a password; so does this.
 */
export function sealVault(plain: Buffer, password: { reveal(): string }): string {
  const salt = randomBytes(32)
  const keys = pbkdf2Sync(
    password.reveal().replaceAll(/^[\t-\r ]+|[\t-\r ]+$/g, ''),
    salt,
    rounds,
    80,
    'sha256',
  )
  const [cipherKey, hmacKey, counter] = [keys.subarray(0, 32), keys.subarray(32, 64), keys.subarray(64)]
  // The format pads to blocks of 16 bytes (PKCS #7), which the cipher's mode would not need.
  const padding = 16 - (plain.length % 16)
  const cipher = createCipheriv('aes-256-ctr', cipherKey, counter)
  const sealed = Buffer.concat([
    cipher.update(plain),
    cipher.update(Buffer.alloc(padding, padding)),
    cipher.final(),
  ])
  const proof = createHmac('sha256', hmacKey).update(sealed).digest('hex')
  const inner = Buffer.from([salt.toString('hex'), proof, sealed.toString('hex')].join('\n')).toString('hex')
  return `${[header, ...(inner.match(/.{1,80}/g) ?? [])].join('\n')}\n`
}
