import { describe, expect, it } from 'vitest'
import type { LoginKeyOptions } from '../../../src/transport/destination.ts'
import type { HeldKey } from '../../../src/transport/login/agentContents.ts'
import { keysForOpenssh } from '../../../src/transport/login/keysForOpenssh.ts'
import { createOnce } from '../../../src/transport/once.ts'
import { parseKey } from '../../../src/transport/sshSession.ts'
import { tokenKey } from '../../support/sshKey.ts'
import { makeKey } from '../../support/sshServer.ts'

const plain = makeKey('ed25519').private
const token = tokenKey()

function find(
  files: Readonly<Record<string, string>>,
  keys: Partial<LoginKeyOptions> = {},
  held: readonly HeldKey[] = [],
): Promise<readonly string[]> {
  const options = { first: [], files: ['/id_ed25519'], agent: 'all', required: false, ...keys } as const
  return keysForOpenssh(
    { keys: options },
    {
      once: createOnce(),
      readFile: async (path) => {
        const text = files[path]
        if (text === undefined) throw Object.assign(new Error('missing'), { code: 'ENOENT' })
        return Buffer.from(text)
      },
      parseKey,
      agentContents: async () => held,
    },
  )
}

describe('keys that only the program ssh can use', () => {
  it('are none for plain keys', async () => {
    expect(await find({ '/id_ed25519': plain })).toEqual([])
    expect(await find({}, { socket: '/agent' }, [{ type: 'ssh-ed25519', comment: 'own' }])).toEqual([])
  })

  it('are certificates beside a key or in the agent, also with plain keys', async () => {
    expect(await find({ '/id_ed25519': plain, '/id_ed25519-cert.pub': 'ssh-…' })).toEqual([
      'the certificate /id_ed25519-cert.pub',
    ])
    const held = [
      { type: 'ssh-ed25519', comment: 'own' },
      { type: 'ssh-ed25519-cert-v01@openssh.com', comment: 'signed' },
    ]
    expect(await find({}, { socket: '/agent' }, held)).toEqual(['the certificate signed of the agent'])
    expect(await find({}, { socket: '/agent', agent: 'listed' }, held)).toEqual([])
  })

  it('are keys of security tokens, if one is named or there is no other', async () => {
    const words = (path: string) => [`the key ${path} of a security token`]
    expect(await find({ '/sk': token }, { files: ['/sk'] })).toEqual(words('/sk'))
    expect(await find({ '/sk': token, '/id_ed25519': plain }, { first: ['/sk'], required: true })).toEqual(
      words('/sk'),
    )
    expect(await find({ '/sk': token, '/id_ed25519': plain }, { files: ['/sk', '/id_ed25519'] })).toEqual([])
    expect(await find({ '/id_ed25519_sk': token })).toEqual(words('/id_ed25519_sk'))
    const held = [{ type: 'sk-ssh-ed25519@openssh.com', comment: 'yubikey' }]
    expect(await find({}, { socket: '/agent' }, held)).toEqual(words('yubikey'))
  })
})
