import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { hostKeyAlgorithms } from '../../../src/transport/hostKeys/algorithms.ts'
import { hostKeyPolicy } from '../../../src/transport/hostKeys/hostKeyPolicy.ts'
import {
  checkHostKey,
  fingerprint,
  knownTypes,
  matchesHost,
  parseKnownHosts,
} from '../../../src/transport/hostKeys/knownHosts.ts'
import { makeKey } from '../../support/sshServer.ts'

const ed25519 = makeKey('ed25519').public
const other = makeKey('ed25519').public
const ecdsa = makeKey('ecdsa').public
const bytes = (line: string): Buffer => Buffer.from(line.split(' ')[1] ?? '', 'base64')
const hashed = (name: string): string => {
  const salt = Buffer.from('0123456789abcdefghij')
  return `|1|${salt.toString('base64')}|${createHmac('sha1', salt).update(name).digest('base64')}`
}
const entries = (...lines: readonly string[]) => parseKnownHosts(lines.join('\n'), '/kh')
const db1 = { names: ['10.0.0.11', 'DB1'], port: 22 }
const verdict = (lines: readonly string[], asked = db1, key = ed25519) =>
  checkHostKey(entries(...lines), asked, bytes(key)).kind

describe('known_hosts', () => {
  it('skips comments, empty and damaged lines and keeps line numbers', () => {
    const text = `# comment\n\ndb1 ssh-ed25519 AAAA\ndb1 1024 35 1234\n  db1 ${ed25519} a comment\r\n@odd x ${ed25519}\n`
    expect(parseKnownHosts(text, '/kh').map(({ line, hosts, type }) => [line, hosts, type])).toEqual([
      [5, 'db1', 'ssh-ed25519'],
    ])
  })

  it.each([
    ['db1', 'db1', true],
    ['DB1,x', 'db1', true],
    ['*.example.org', 'db1.example.org', true],
    ['*.example.org', 'db1.example.orgx', false],
    ['db?', 'db12', false],
    ['*,!db1', 'db1', false],
    ['!db1,*', 'db2', true],
    ['10.0.0.*', '10.0.0.11', true],
    ['10.0.0.1', '10x0.0.1', false],
    ['[db1]:2222', '[db1]:2222', true],
    ['db1', '[db1]:2222', false],
    ['(db1|db2)+', 'db1', false],
    [hashed('db1'), 'db1', true],
    [hashed('[db1]:2222'), '[db1]:2222', true],
    [hashed('db1'), 'db2', false],
    ['|2|AA|AA', 'db1', false],
  ])('matches %s to %s: %s', (hosts, name, expected) => {
    expect(matchesHost(hosts, name)).toBe(expected)
  })

  it('is searched by name and by address', () => {
    expect(verdict([])).toBe('unknown')
    expect(verdict([`db2 ${ed25519}`])).toBe('unknown')
    expect(verdict([`db1 ${ed25519}`])).toBe('trusted')
    expect(verdict([`10.0.0.11 ${ed25519}`])).toBe('trusted')
    expect(verdict([`db1 ${other}`])).toBe('changed')
    expect(verdict([`db1 ${other}`, `db1 ${ed25519}`])).toBe('trusted')
    expect(verdict([`db1 ${ecdsa}`])).toBe('changed')
  })

  it('gives a revoked key priority over every other line', () => {
    expect(verdict([`db1 ${ed25519}`, `@revoked * ${ed25519}`])).toBe('revoked')
    expect(verdict([`db1 ${ed25519}`, `@revoked * ${other}`])).toBe('trusted')
    expect(verdict([`@revoked db1 ${ed25519}`], { names: ['db1'], port: 2222 })).toBe('revoked')
  })

  it('is searched for [host]:port on another port, and accepts a key of the plain name as OpenSSH does', () => {
    const asked = { names: ['db1'], port: 2222 }
    expect(verdict([`[db1]:2222 ${ed25519}`], asked)).toBe('trusted')
    expect(verdict([`db1 ${ed25519}`], asked)).toBe('trusted')
    expect(verdict([`db1 ${other}`], asked)).toBe('unknown')
    expect(verdict([`[db1]:2222 ${other}`, `db1 ${ed25519}`], asked)).toBe('changed')
  })

  it('does not accept a certificate authority as a host key', () => {
    expect(verdict([`@cert-authority db1 ${ed25519}`])).toBe('unknown')
    expect(knownTypes(entries(`@cert-authority db1 ${ed25519}`), db1)).toEqual([])
  })

  it('prefers the algorithms of known key types', () => {
    const types = knownTypes(entries(`db1 ${ecdsa}`, `db2 ${ed25519}`), db1)
    expect(hostKeyAlgorithms(types).slice(0, 2)).toEqual(['ecdsa-sha2-nistp256', 'ssh-ed25519'])
    expect(hostKeyAlgorithms(['ssh-rsa']).slice(0, 2)).toEqual(['rsa-sha2-512', 'rsa-sha2-256'])
    expect(hostKeyAlgorithms([])).not.toContain('ssh-rsa')
  })
})

describe('the error of a host key', () => {
  const judge = (lines: readonly string[], pinned?: string, jump = false) => {
    const check = { files: ['/kh', '/etc/kh'], names: db1.names, ...(pinned === undefined ? {} : { pinned }) }
    const host = { label: 'db1', jump, port: db1.port, check }
    return hostKeyPolicy(host, entries(...lines)).check(bytes(ed25519))
  }
  const own = `${fingerprint(bytes(ed25519))} (ssh-ed25519)`

  it('shows the fingerprint of an unknown key and both ways to trust it', () => {
    const error = judge([])
    expect(error?.code).toBe('host-key-unknown')
    expect(error?.message).toBe(
      `the host key of db1 is unknown: 10.0.0.11 presented ${own}, but /kh and /etc/kh have no key for it`,
    )
    expect(error?.fix).toContain(`"host-key: ${fingerprint(bytes(ed25519))}"`)
    expect(error?.fix).toContain('Run `muster trust`')
  })

  it('does not suggest to pin the key of a jump host', () => {
    const fix = judge([], undefined, true)?.fix
    expect(fix).not.toContain('host-key:')
    expect(fix).toContain('Run `muster trust`')
  })

  it('names a certificate authority, which is not supported', () => {
    expect(judge([`@cert-authority * ${other}`])?.message).toMatch(
      / \(\/kh line 1 trusts it through a certificate authority: @cert-authority is not supported here\)$/,
    )
  })

  it('shows both fingerprints of a changed key and the line of the old one', () => {
    const error = judge(['', `db1 ${other}`])
    expect(error?.code).toBe('host-key-changed')
    expect(error?.message).toBe(
      `the host key of db1 has changed: it presented ${own}, but /kh line 2 has ${fingerprint(bytes(other))} (ssh-ed25519)`,
    )
  })

  it('names the command that removes the old key, except for a pattern', () => {
    expect(judge([`db1 ${other}`])?.fix).toContain(`"ssh-keygen -R 'DB1' -f /kh"`)
    expect(judge([`10.0.0.11 ${other}`])?.fix).toContain(`"ssh-keygen -R '10.0.0.11' -f /kh"`)
    expect(judge([`10.0.0.* ${other}`])?.fix).toContain('If the new key is right, remove /kh line 1, then')
  })

  it('reports a revoked key', () => {
    expect(judge([`@revoked * ${ed25519}`])?.code).toBe('host-key-revoked')
  })

  it('depends only on a pinned fingerprint if there is one', () => {
    expect(judge([`db1 ${other}`], fingerprint(bytes(ed25519)))).toBeUndefined()
    expect(judge([`db1 ${ed25519}`], fingerprint(bytes(other)))?.code).toBe('host-key-changed')
  })
})
