import { join } from 'node:path'
import type { ParsedKey } from 'ssh2'
import { describe, expect, it } from 'vitest'
import { Secret } from '../../../src/secrets/secret.ts'
import type { LoginKeyOptions } from '../../../src/transport/destination.ts'
import { type HeldKey, heldKeys } from '../../../src/transport/login/agentContents.ts'
import { publicPart } from '../../../src/transport/login/keyFile.ts'
import { type LoginKeys, loginKeys } from '../../../src/transport/login/loginKeys.ts'
import { createOnce } from '../../../src/transport/once.ts'
import { parseKey } from '../../../src/transport/sshSession.ts'
import { tokenKey } from '../../support/sshKey.ts'
import { type KeyPair, makeKey, makeLockedKey } from '../../support/sshServer.ts'
import { failure } from '../../support/transportFailure.ts'

const [a, b, c] = [makeKey('ed25519'), makeKey('ed25519'), makeKey('ed25519')]
const locked = makeLockedKey('secret')

const publicOf = (pair: KeyPair): ParsedKey => {
  const key = parseKey(Buffer.from(pair.public))
  if (key instanceof Error) throw key
  return key
}

type Wish = {
  readonly keys?: Partial<LoginKeyOptions>
  readonly files?: Readonly<Record<string, string>>
  readonly held?: readonly KeyPair[]
  readonly answers?: readonly string[]
  /** What the agent holds besides. */
  readonly foreign?: readonly HeldKey[]
}

async function find({
  keys,
  files = {},
  held,
  answers,
  foreign,
}: Wish): Promise<LoginKeys & { asked: string[] }> {
  const asked: string[] = []
  const given = [...(answers ?? [])]
  const wish: LoginKeyOptions = {
    first: [],
    files: [],
    agent: 'all',
    required: false,
    ...(held === undefined ? {} : { socket: '/agent' }),
    ...keys,
  }
  const found = await loginKeys(
    { label: 'db1', keys: wish },
    {
      readFile: async (path) => {
        const text = files[path]
        if (text === undefined) throw Object.assign(new Error('none'), { code: 'ENOENT' })
        return Buffer.from(text)
      },
      parseKey,
      agentKeys: async () => (held ?? []).map(publicOf),
      agentContents: async () => [
        ...(held ?? []).map((pair) => ({ type: publicOf(pair).type, comment: '' })),
        ...(foreign ?? []),
      ],
      once: createOnce(),
      askPassphrase: async (path) => {
        asked.push(path)
        const answer = given.shift()
        return answer === undefined ? undefined : new Secret(answer)
      },
    },
  )
  return { ...found, asked }
}

const labels = ({ keys }: LoginKeys): readonly string[] => keys.map(({ label }) => label)

describe('the login keys of a host', () => {
  it('are in the order of OpenSSH: files that the agent holds, its other keys, the rest of the files', async () => {
    const files = { '/a': a.private, '/b': b.private, '/b.pub': b.public }
    const found = await find({ keys: { files: ['/a', '/b'] }, files, held: [c, b] })
    expect(labels(found)).toEqual(['/b (agent)', 'ssh-ed25519 (agent)', '/a'])
    expect(found.keys.map(({ agent }) => agent)).toEqual(['/agent', '/agent', undefined])
  })

  it('exclude other keys of the agent with IdentitiesOnly', async () => {
    const found = await find({
      keys: { files: ['/a'], agent: 'listed' },
      files: { '/a': a.private },
      held: [c, a],
    })
    expect(labels(found)).toEqual(['/a (agent)'])
  })

  it('begin with the key of the YAML, once', async () => {
    const files = { '/a': a.private, '/b': b.private }
    const found = await find({ keys: { first: ['/b'], files: ['/a', '/b'] }, files, held: [c] })
    expect(labels(found)).toEqual(['/b', 'ssh-ed25519 (agent)', '/a'])
  })

  it('may be public keys whose private keys the agent holds', async () => {
    const files = { '/a.pub': a.public, '/b': b.public }
    const found = await find({ keys: { files: ['/a', '/b'], agent: 'listed' }, files, held: [a, b] })
    expect(labels(found)).toEqual(['/a (agent)', '/b (agent)'])
  })

  it('are found in an agent by the public part of a file with a passphrase', async () => {
    expect(publicPart(Buffer.from(locked.private))?.equals(publicOf(locked).getPublicSSH())).toBe(true)
    const found = await find({
      keys: { files: ['/l'], agent: 'listed' },
      files: { '/l': locked.private },
      held: [locked],
    })
    expect(labels(found)).toEqual(['/l (agent)'])
    expect(found.asked).toEqual([])
  })
})

describe('a login key with a passphrase', () => {
  const files = { '/l': locked.private }

  it('is skipped if another key exists, and named in a refusal', async () => {
    const found = await find({
      keys: { files: ['/l', '/a'] },
      files: { ...files, '/a': a.private },
      answers: ['secret'],
    })
    expect(labels(found)).toEqual(['/a'])
    expect(found.skipped).toEqual(['/l (has a passphrase)'])
    expect(found.asked).toEqual([])
  })

  it('is unlocked if there is no other key, with at most three attempts', async () => {
    const found = await find({ keys: { files: ['/l'] }, files, answers: ['wrong', 'secret'] })
    expect(labels(found)).toEqual(['/l'])
    expect(found.keys[0]?.key.isPrivateKey()).toBe(true)
    expect(found.asked).toEqual(['/l', '/l'])
    const first = { first: ['/l'], required: true }
    const error = await failure(find({ keys: first, files, answers: ['1', '2', '3', 'secret'] }))
    expect(error.message).toBe('the key for db1, /l, has a different passphrase')
  })

  it('has the fix to add it to an agent if nobody can be asked', async () => {
    const error = await failure(find({ keys: { files: ['/l'] }, files }))
    expect(error.code).toBe('no-login-method')
    expect(error.message).toBe('all keys to log in to db1 have a passphrase (/l), and no agent is running')
    expect(error.fix).toContain('ssh-add /l')
  })

  it('that is encrypted PKCS#8 is reported without asking for the passphrase', async () => {
    const text = '-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIIB\n-----END ENCRYPTED PRIVATE KEY-----\n'
    const wish = { keys: { first: ['/p'], required: true }, files: { '/p': text }, answers: ['secret'] }
    const error = await failure(find(wish))
    expect(error.message).toContain('is an encrypted PKCS#8 file, which muster cannot open')
    expect(error.fix).toContain('ssh-keygen -p -f /p')
  })
})

describe('an unsupported login key', () => {
  const token = tokenKey()

  it('is reported: a key of a security token', async () => {
    const error = await failure(find({ keys: { first: ['/sk'], required: true }, files: { '/sk': token } }))
    expect(error.message).toBe(
      'the key for db1, /sk, is a key of a security token (sk-ssh-ed25519@openssh.com), which only transport: openssh supports',
    )
    const alone = await failure(find({ keys: { files: ['/sk'] }, files: { '/sk': token } }))
    expect(alone.message).toContain('/sk is a key of a security token')
    const beside = await find({ keys: { files: ['/sk', '/a'] }, files: { '/sk': token, '/a': a.private } })
    expect(beside.skipped.join()).toContain('/sk (is a key of a security token')
  })

  it('is reported: certificates and security tokens in an agent or beside a key', async () => {
    const foreign = [
      { type: 'sk-ssh-ed25519@openssh.com', comment: 'token' },
      { type: 'ssh-ed25519-cert-v01@openssh.com', comment: 'signed' },
    ]
    const alone = await failure(find({ held: [], foreign, keys: { files: ['/a'] } }))
    expect(alone.message).toMatch(
      /the agent holds only token \(agent; a key of a security token .*, signed \(agent; a cert/,
    )
    const files = { '/a': a.private, '/a-cert.pub': 'ssh-ed25519-cert-v01@openssh.com AAAA' }
    const beside = await find({ held: [b], foreign, files, keys: { files: ['/a'] } })
    expect(labels(beside)).toEqual(['ssh-ed25519 (agent)', '/a'])
    expect(beside.skipped.map((text) => text.split(' ')[0])).toEqual(['/a-cert.pub', 'token', 'signed'])
  })

  it('is listed from a complete or incomplete response of an agent', () => {
    const field = (bytes: Buffer | string): Buffer => {
      const length = Buffer.alloc(4)
      length.writeUInt32BE(Buffer.byteLength(bytes))
      return Buffer.concat([length, Buffer.from(bytes)])
    }
    const key = (type: string, comment: string) => [
      field(Buffer.concat([field(type), field('x')])),
      field(comment),
    ]
    const answer = Buffer.concat([Buffer.from([12, 0, 0, 0, 2]), ...key('ssh-rsa', 'é'), ...key('sk-x', '')])
    const all = [
      { type: 'ssh-rsa', comment: 'é' },
      { type: 'sk-x', comment: '' },
    ]
    expect(heldKeys(answer)).toEqual(all)
    expect(heldKeys(answer.subarray(0, -3))).toEqual(all.slice(0, 1))
    expect(heldKeys(Buffer.from([5]))).toEqual([])
  })

  it('is reported by folder if no key exists', async () => {
    const files = ['id_ed25519', 'id_rsa'].map((name) => join('/home/ops/.ssh', name))
    expect((await failure(find({ keys: { files } }))).message).toBe(
      'no key to log in to db1: no agent is running, and /home/ops/.ssh has none of id_ed25519, id_rsa',
    )
  })
})
