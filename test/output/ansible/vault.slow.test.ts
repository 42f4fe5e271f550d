import { execFileSync } from 'node:child_process'
import { createDecipheriv, createHmac, pbkdf2Sync } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { sealVault } from '../../../src/output/ansible/vault.ts'
import { Secret } from '../../../src/secrets/secret.ts'
import { installed } from '../../lab/support/requirements.ts'
import { temporaryFolder } from '../../support/temporaryFolder.ts'

/** Opens it as VaultAES256 of ansible-core 2.14 does (lib/ansible/parsing/vault). */
function open(sealed: string, password: string): Buffer {
  const [header, ...lines] = sealed.trimEnd().split('\n')
  expect(header).toBe('$ANSIBLE_VAULT;1.1;AES256')
  expect(lines.every((line) => line.length <= 80)).toBe(true)
  const parts = Buffer.from(lines.join(''), 'hex').toString().split('\n')
  const [salt, proof, bytes] = parts.map((part) => Buffer.from(part, 'hex'))
  if (salt === undefined || proof === undefined || bytes === undefined) throw new Error('three parts')
  const keys = pbkdf2Sync(password, salt, 10_000, 80, 'sha256')
  expect(createHmac('sha256', keys.subarray(32, 64)).update(bytes).digest()).toEqual(proof)
  const cipher = createDecipheriv('aes-256-ctr', keys.subarray(0, 32), keys.subarray(64))
  const padded = Buffer.concat([cipher.update(bytes), cipher.final()])
  return padded.subarray(0, padded.length - (padded.at(-1) ?? 0))
}

const texts = ['', 'x', 'fifteen letters', 'sixteen letters!', 'é'.repeat(1000), '\0\xff\n']

describe('sealVault', () => {
  it('seals bytes of every length so that the password of the vault opens them', () => {
    for (const text of texts) {
      expect(open(sealVault(Buffer.from(text), new Secret('päss')), 'päss').toString()).toBe(text)
    }
  })

  it('ignores white space around the password, as Ansible does', () => {
    expect(open(sealVault(Buffer.from('x'), new Secret(' pass \t')), 'pass').toString()).toBe('x')
  })

  it('gives the same bytes another text each time', () => {
    const seal = () => sealVault(Buffer.from('x'), new Secret('pass'))
    expect(seal()).not.toBe(seal())
  })

  it.skipIf(!installed('ansible-vault'))('is opened by ansible-vault (needs ansible-core)', () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'pass'), ' päss \n')
    const files = texts.map((text, index) => {
      const file = join(folder, `${index}`)
      writeFileSync(file, sealVault(Buffer.from(text), new Secret(' päss ')))
      return file
    })
    const args = ['decrypt', '--vault-password-file', join(folder, 'pass'), ...files]
    execFileSync('ansible-vault', args, { env: { ...process.env, HOME: folder }, stdio: 'pipe' })
    expect(files.map((file) => readFileSync(file, 'utf8'))).toEqual(texts)
  })
})
