import { describe, expect, it } from 'vitest'
import { type ScannedServer, serversOf, type TrustOutcome } from '../../../src/deployment/trustServers.ts'
import {
  pinsYaml,
  serverKeysText,
  trustJson,
  trustSummary,
} from '../../../src/output/deployment/trustText.ts'
import type { HostKeyComparison, ShownKey } from '../../../src/transport/hostKeys/readHostKeys.ts'
import { TransportError } from '../../../src/transport/transportError.ts'

const server = (label: string, more: { jump?: boolean; port?: number; address?: string } = {}) => {
  const { jump = false, port = 22, address = label } = more
  const keys = { first: [], files: [], agent: 'all', required: false } as const
  const check = { files: ['/home/ops/.ssh/known_hosts'], names: [address] }
  const target = { label, jump, address, port, user: 'ops', keys, check, timeout: 1000 }
  const [made] = serversOf([{ jumps: [], target }])
  if (made === undefined) throw new Error('one server')
  return made
}
const key = (letter: string, state: ShownKey['state'], type = 'ssh-ed25519'): ShownKey => ({
  type,
  fingerprint: `SHA256:${letter.repeat(43)}`,
  key: Buffer.from(letter),
  state,
})
const instead = { fingerprint: `SHA256:${'Z'.repeat(43)}`, place: '/home/ops/.ssh/known_hosts line 3' }
const problem = (code: 'host-key-changed' | 'host-key-revoked') =>
  new TransportError({
    host: 'db2',
    code,
    message: 'it is another one',
    fix: 'Do not go on before you know why.',
  })
const failure = {
  code: 'connection-refused',
  message: 'db4 refused the connection',
  fix: 'Is sshd running there?',
} as const

const gate = server('the jump host gate', { jump: true, address: 'gate', port: 2222 })
const [db1, db2, db3, db4] = [
  server('db1', { address: '10.0.0.11' }),
  server('db2', { port: 2222 }),
  server('db3'),
  server('db4'),
]
const known: HostKeyComparison = { state: 'known', keys: [key('A', 'known'), key('B', 'other', 'ssh-rsa')] }
const fresh: HostKeyComparison = {
  state: 'new',
  keys: [key('C', 'new'), key('D', 'new', 'ecdsa-sha2-nistp256'), key('E', 'new', 'ssh-rsa')],
}
const changed: HostKeyComparison = {
  state: 'changed',
  keys: [{ ...key('F', 'changed'), instead }, key('H', 'other', 'ssh-rsa')],
  problem: problem('host-key-changed'),
}
const revoked: HostKeyComparison = {
  state: 'revoked',
  keys: [{ ...key('G', 'revoked'), instead }],
  problem: problem('host-key-revoked'),
}
const looked: readonly ScannedServer[] = [
  { server: gate, found: known },
  { server: db1, found: fresh },
  { server: db2, found: changed },
  { server: db3, found: revoked },
  { server: db4, failure, unreachable: true },
]
const outcomes: readonly TrustOutcome[] = [
  { server: gate, result: 'known', found: known },
  { server: db1, result: 'untrusted', found: fresh },
  { server: db2, result: 'changed', found: changed, failure: { code: 'failed', message: 'm', fix: 'f' } },
  { server: db4, result: 'unreachable', failure },
]
const layout = { colour: false, width: 80 }

describe('the host keys of muster trust as text', () => {
  it('are listed with the known keys that differ', () => {
    expect(serverKeysText(looked, layout)).toMatchInlineSnapshot(`
      "the jump host gate (port 2222)  known
        ED25519  SHA256:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
      db1 (10.0.0.11)  new: not in known_hosts
        ED25519  SHA256:CCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCC
        ECDSA    SHA256:DDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDD
        RSA      SHA256:EEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEE
      db2 (port 2222)  CHANGED
        ED25519  SHA256:FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF  shown now
                 SHA256:ZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZ  in /home/ops/.ssh/known_hosts line 3
        RSA      SHA256:HHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHH  not compared: no RSA key is known
        fix: Do not go on before you know why.
      db3  REVOKED
        ED25519  SHA256:GGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGGG  revoked by /home/ops/.ssh/known_hosts line 3
        fix: Do not go on before you know why.
      db4  not read
        db4 refused the connection [connection-refused]
        fix: Is sshd running there?
      "
    `)
  })

  it('end with a summary of the results', () => {
    const options = { ...layout, cluster: 'alpha', unreachable: [], pin: false }
    expect(trustSummary({ ...options, outcomes, yes: false })).toMatchInlineSnapshot(`
      "Not trusted: db1. Compare them with what "ssh-keygen -lf" prints for
      /etc/ssh/ssh_host_*_key.pub on the host itself, then say yes on a terminal or
      give --yes.
      alpha: 3 hosts and 1 jump host: 1 known, 1 new, 1 changed and 1 unreachable.
      "
    `)
    const trusted = [{ server: db1, result: 'trusted', found: known } as const]
    expect(trustSummary({ ...options, outcomes: trusted, yes: true })).toMatchInlineSnapshot(`
      "Trusted db1: written to /home/ops/.ssh/known_hosts.
      warning: these fingerprints were not verified. An attacker between this machine
      and the hosts may have sent these keys. Compare them with what "ssh-keygen -lf"
      prints for /etc/ssh/ssh_host_*_key.pub on the host itself.
      alpha: 1 host: 1 trusted now.
      "
    `)
    expect(trustSummary({ ...options, outcomes: trusted, yes: false })).toMatchInlineSnapshot(`
      "Trusted db1: written to /home/ops/.ssh/known_hosts.
      alpha: 1 host: 1 trusted now.
      "
    `)
    expect(trustSummary({ ...options, outcomes: [], yes: false })).toMatchInlineSnapshot(`
      "alpha: every host is this machine, so there is no key to trust.
      "
    `)
  })
})

describe('the summary of muster trust', () => {
  it('explains hosts behind another one and keys that were not kept, which no list did before', () => {
    const failed = (result: 'behind' | 'failed', code: 'not-kept' | 'connection-refused') => [
      { server: db4, result, failure: { ...failure, code } } as const,
    ]
    const told = (outcomes: readonly TrustOutcome[]): boolean =>
      trustSummary({
        ...layout,
        cluster: 'alpha',
        unreachable: [],
        pin: false,
        yes: false,
        outcomes,
      }).includes(failure.fix)
    expect([
      told(failed('behind', 'connection-refused')),
      told(failed('failed', 'not-kept')),
      told(failed('failed', 'connection-refused')),
    ]).toEqual([true, true, false])
  })
})

describe('the host keys of muster trust for programs', () => {
  it('are YAML that pins them, without jump hosts and changed keys', () => {
    const all = [...outcomes, { server: db3, result: 'known', found: known } as const]
    expect(pinsYaml(all)).toMatchInlineSnapshot(`
      "hosts:
        "db1": { ssh: { host-key: "SHA256:CCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCC" } } # not in known_hosts
        "db3": { ssh: { host-key: "SHA256:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" } }
      "
    `)
    expect(pinsYaml([])).toBe('')
  })

  it('are JSON with fingerprints only', () => {
    expect(JSON.parse(trustJson('alpha', outcomes, []))).toMatchInlineSnapshot(`
      {
        "cluster": "alpha",
        "servers": [
          {
            "address": "gate",
            "jump": true,
            "keys": [
              {
                "fingerprint": "SHA256:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
                "state": "known",
                "type": "ssh-ed25519",
              },
              {
                "fingerprint": "SHA256:BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB",
                "state": "other",
                "type": "ssh-rsa",
              },
            ],
            "name": "the jump host gate",
            "port": 2222,
            "result": "known",
          },
          {
            "address": "10.0.0.11",
            "jump": false,
            "keys": [
              {
                "fingerprint": "SHA256:CCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCC",
                "state": "new",
                "type": "ssh-ed25519",
              },
              {
                "fingerprint": "SHA256:DDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDD",
                "state": "new",
                "type": "ecdsa-sha2-nistp256",
              },
              {
                "fingerprint": "SHA256:EEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEE",
                "state": "new",
                "type": "ssh-rsa",
              },
            ],
            "name": "db1",
            "port": 22,
            "result": "untrusted",
          },
          {
            "address": "db2",
            "failure": {
              "code": "failed",
              "fix": "f",
              "message": "m",
            },
            "jump": false,
            "keys": [
              {
                "fingerprint": "SHA256:FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF",
                "instead": {
                  "fingerprint": "SHA256:ZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZZ",
                  "place": "/home/ops/.ssh/known_hosts line 3",
                },
                "state": "changed",
                "type": "ssh-ed25519",
              },
              {
                "fingerprint": "SHA256:HHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHHH",
                "state": "other",
                "type": "ssh-rsa",
              },
            ],
            "name": "db2",
            "port": 2222,
            "result": "changed",
          },
          {
            "address": "db4",
            "failure": {
              "code": "connection-refused",
              "fix": "Is sshd running there?",
              "message": "db4 refused the connection",
            },
            "jump": false,
            "keys": [],
            "name": "db4",
            "port": 22,
            "result": "unreachable",
          },
        ],
      }
    `)
  })
})
