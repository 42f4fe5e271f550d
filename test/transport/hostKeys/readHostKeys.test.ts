import { createHmac } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import type { Destination } from '../../../src/transport/destination.ts'
import { fingerprint, matchesHost, parseKnownHosts } from '../../../src/transport/hostKeys/knownHosts.ts'
import { hashesNames, knownHostsLines } from '../../../src/transport/hostKeys/knownHostsLines.ts'
import { compareHostKeys } from '../../../src/transport/hostKeys/readHostKeys.ts'
import { createSshConnector } from '../../../src/transport/ssh.ts'
import { makeKey, type SshServer, startSshServer } from '../../support/sshServer.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()))
})

const to = (port: number): Destination => ({
  label: 'db1',
  jump: false,
  address: '127.0.0.1',
  port,
  user: 'nobody',
  keys: { first: [], files: [], agent: 'all', required: false },
  check: { files: [], names: ['127.0.0.1'] },
  timeout: 3000,
})
const read = (port: number, onSleep: () => void = () => undefined) =>
  createSshConnector({
    readFile: (path) => readFile(path),
    sleep: async () => onSleep(),
  }).hostKeysOf(to(port), [])

async function start(options: Parameters<typeof startSshServer>[0] = {}): Promise<SshServer> {
  const server = await startSshServer(options)
  closing.push(server.close)
  return server
}

describe('readHostKeys', () => {
  it('returns one key of each type in order of preference, without a login', async () => {
    const server = await start({ hostKeys: ['rsa', 'ecdsa', 'ed25519'] })
    const [rsa, ecdsa, ed25519] = server.hostKeyFingerprints
    expect((await read(server.port)).map(fingerprint)).toEqual([ed25519, ecdsa, rsa])
    expect(server.logins()).toEqual([])
    expect(server.connections()).toBe(4)
    await expect.poll(() => server.open()).toBe(0)
  })

  it('retries a transient failure', async () => {
    const server = await start({ fault: 'reset-after-banner' })
    const keys = await read(server.port, () => server.setFault('none'))
    expect(keys.map(fingerprint)).toEqual([server.hostKeyFingerprint])
  })

  it('rejects a server that cannot sign with the key that it presents', async () => {
    const shown = Buffer.from(makeKey('ed25519').public.split(' ')[1] ?? '', 'base64')
    const thief = await start({ shows: shown })
    const { port } = thief
    await expect(read(port)).rejects.toMatchObject({ host: 'db1' })
  })
})

const [ed25519, other, ecdsa, rsa] = [
  makeKey('ed25519').public,
  makeKey('ed25519').public,
  makeKey('ecdsa').public,
  makeKey('rsa').public,
]
const bytes = (line: string): Buffer => Buffer.from(line.split(' ')[1] ?? '', 'base64')
const server = (check: { readonly pinned?: string; readonly alias?: string } = {}) => ({
  label: 'db1',
  jump: false,
  port: 22,
  check: { files: ['/kh', '/etc/kh'], names: ['10.0.0.11', 'db1'], ...check },
})

describe('compareHostKeys', () => {
  const judge = (lines: readonly string[], shown: readonly string[], pinned?: string) => {
    const entries = parseKnownHosts(lines.join('\n'), '/kh')
    const check = pinned === undefined ? {} : { pinned }
    const judged = compareHostKeys(server(check), entries, shown.map(bytes))
    return {
      state: judged.state,
      keys: judged.keys.map(({ type, state }) => `${type} ${state}`),
      ...('problem' in judged ? { code: judged.problem.code } : {}),
    }
  }

  it('reports new keys if no key is known', () => {
    expect(judge([], [ed25519, rsa])).toEqual({ state: 'new', keys: ['ssh-ed25519 new', 'ssh-rsa new'] })
    expect(judge([`db2 ${other}`], [ed25519]).state).toBe('new')
  })

  it('reports a known key first, and keys of other types as other', () => {
    expect(judge([`db1 ${rsa}`], [ed25519, ecdsa, rsa])).toEqual({
      state: 'known',
      keys: ['ssh-rsa known', 'ssh-ed25519 other', 'ecdsa-sha2-nistp256 other'],
    })
  })

  it('reports changed keys if another key is known', () => {
    expect(judge([`db1 ${other}`], [ed25519])).toEqual({
      state: 'changed',
      keys: ['ssh-ed25519 changed'],
      code: 'host-key-changed',
    })
    expect(judge([`db1 ${rsa}`], [ed25519]).state).toBe('changed')
    expect(judge([`db1 ${rsa}`, `10.0.0.11 ${other}`], [ed25519, rsa])).toMatchObject({
      state: 'changed',
      keys: ['ssh-ed25519 changed', 'ssh-rsa known'],
    })
  })

  it('compares each key with the line of its own type', () => {
    const compare = (lines: readonly string[], shown: readonly string[]) =>
      compareHostKeys(server(), parseKnownHosts(lines.join('\n'), '/kh'), shown.map(bytes)).keys.map(
        ({ type, state, instead }) => [type, state, instead],
      )
    const place = { fingerprint: fingerprint(bytes(other)), place: '/kh line 1' }
    expect(compare([`db1 ${other}`], [ed25519, ecdsa, rsa])).toEqual([
      ['ssh-ed25519', 'changed', place],
      ['ecdsa-sha2-nistp256', 'other', undefined],
      ['ssh-rsa', 'other', undefined],
    ])
    expect(compare([`db1 ${other}`], [rsa])).toEqual([
      ['ssh-rsa', 'changed', { ...place, type: 'ssh-ed25519' }],
    ])
  })

  it('reports a revoked key even if another key is known', () => {
    expect(judge([`@revoked * ${ecdsa}`, `db1 ${ed25519}`], [ed25519, ecdsa])).toEqual({
      state: 'revoked',
      keys: ['ssh-ed25519 known', 'ecdsa-sha2-nistp256 revoked'],
      code: 'host-key-revoked',
    })
  })

  it('compares keys only with a pinned fingerprint if there is one', () => {
    const pin = fingerprint(bytes(ecdsa))
    expect(judge([`db1 ${other}`], [ed25519, ecdsa], pin)).toEqual({
      state: 'known',
      keys: ['ssh-ed25519 other', 'ecdsa-sha2-nistp256 known'],
    })
    expect(judge([`db1 ${ed25519}`], [ed25519], pin)).toMatchObject({
      state: 'changed',
      code: 'host-key-changed',
    })
  })
})

describe('new known_hosts lines', () => {
  const options = { keys: [bytes(ed25519), bytes(rsa)], random: (count: number) => Buffer.alloc(count, 7) }

  it('have the name that ssh looks up: with the port, or the alias without it', () => {
    const hosts = (lines: readonly string[]) => lines.map((line) => line.split(' ')[0])
    const plain = { ...options, hashed: false }
    expect(hosts(knownHostsLines(server(), plain))).toEqual(['10.0.0.11', '10.0.0.11'])
    expect(hosts(knownHostsLines({ ...server(), port: 2222 }, plain))[0]).toBe('[10.0.0.11]:2222')
    expect(hosts(knownHostsLines({ ...server({ alias: 'A' }), port: 2222 }, plain))[0]).toBe('a')
  })

  it('are parsed back to the same name, port and key, hashed or not', () => {
    const name = fc.stringMatching(/^[a-zA-Z0-9]([a-zA-Z0-9.-]{0,20}[a-zA-Z0-9])?$/)
    fc.assert(
      fc.property(name, fc.integer({ min: 1, max: 65535 }), fc.boolean(), (host, port, hashed) => {
        const to = { label: host, jump: false, port, check: { files: ['/kh'], names: [host] } }
        const text = knownHostsLines(to, { ...options, hashed }).join('\n')
        expect(text.toLowerCase().startsWith('|1|')).toBe(hashed)
        const entries = parseKnownHosts(text, '/kh')
        expect(compareHostKeys(to, entries, options.keys).keys.map(({ state }) => state)).toEqual([
          'known',
          'known',
        ])
      }),
    )
  })

  it('have names hashed as OpenSSH does', () => {
    const [line = ''] = knownHostsLines(server(), { ...options, hashed: true })
    const salt = Buffer.alloc(20, 7)
    const hash = createHmac('sha1', salt).update('10.0.0.11').digest('base64')
    expect(line.split(' ')[0]).toBe(`|1|${salt.toString('base64')}|${hash}`)
    expect(matchesHost(line.split(' ')[0] ?? '', '10.0.0.11')).toBe(true)
  })

  it('are hashed if ssh_config sets it or the file has hashed lines', () => {
    const [hashed = ''] = knownHostsLines(server(), { ...options, hashed: true })
    const own = parseKnownHosts(hashed, '/kh')
    const global = parseKnownHosts(hashed, '/etc/kh')
    expect(hashesNames(server(), own)).toBe(true)
    expect(hashesNames(server(), global)).toBe(false)
    const { check } = server()
    expect(hashesNames({ check: { ...check, hashed: true } }, [])).toBe(true)
  })
})
