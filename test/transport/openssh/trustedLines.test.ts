import { describe, expect, it } from 'vitest'
import type { Destination } from '../../../src/transport/destination.ts'
import { parseKnownHosts } from '../../../src/transport/hostKeys/knownHosts.ts'
import { trustedLines } from '../../../src/transport/openssh/trustedLines.ts'

const blob = (fill: number): string => {
  const type = Buffer.from('ssh-ed25519')
  const length = Buffer.alloc(4)
  length.writeUInt32BE(type.length)
  return Buffer.concat([length, type, Buffer.alloc(36, fill)]).toString('base64')
}
const to = (changes: Partial<Destination> = {}): Destination => ({
  label: 'db1',
  jump: false,
  address: '10.0.0.1',
  port: 22,
  user: 'ops',
  keys: { first: [], files: [], agent: 'all', required: false },
  check: { files: [], names: ['10.0.0.1', 'db1'] },
  timeout: 8000,
  ...changes,
})
const linesOf = (text: string, destination = to()) =>
  trustedLines(destination, parseKnownHosts(text, 'known_hosts'))

describe('the known keys that the system’s ssh is given', () => {
  it('stand under the one name that it looks up, whichever of the names had them', () => {
    const text = `10.0.0.1 ssh-ed25519 ${blob(1)}\ndb1 ssh-ed25519 ${blob(2)}\n`
    expect(linesOf(text)).toEqual({
      lines: [`10.0.0.1 ssh-ed25519 ${blob(1)}`, `10.0.0.1 ssh-ed25519 ${blob(2)}`],
    })
  })

  it('are none of another host, or of another port', () => {
    expect(linesOf(`db2 ssh-ed25519 ${blob(1)}\n[db1]:2222 ssh-ed25519 ${blob(2)}\n`).lines).toEqual([])
  })

  it('of the plain name count on another port only if no key of this port is known', () => {
    const to2222 = to({ port: 2222 })
    const plain = `10.0.0.1 ssh-ed25519 ${blob(1)}\n@revoked 10.0.0.1 ssh-ed25519 ${blob(3)}\n`
    const ofPort = `[10.0.0.1]:2222 ssh-ed25519 ${blob(2)}\n`
    const revoked = `@revoked [10.0.0.1]:2222 ssh-ed25519 ${blob(3)}`
    expect(linesOf(plain, to2222).lines).toEqual([`[10.0.0.1]:2222 ssh-ed25519 ${blob(1)}`, revoked])
    expect(linesOf(`${plain}${ofPort}`, to2222).lines).toEqual([ofPort.trim(), revoked])
  })

  it('stay revoked under each name', () => {
    expect(linesOf(`@revoked db1 ssh-ed25519 ${blob(1)}\n`).lines).toEqual([
      `@revoked 10.0.0.1 ssh-ed25519 ${blob(1)}`,
    ])
  })

  it('have the name in the YAML instead of an IP address if an authority names it', () => {
    expect(linesOf(`@cert-authority db1 ssh-ed25519 ${blob(1)}\n`)).toEqual({
      lines: [`@cert-authority db1 ssh-ed25519 ${blob(1)}`],
      alias: 'db1',
    })
  })

  it('have no other name where the address is one, or ssh_config sets HostKeyAlias', () => {
    const authority = `@cert-authority * ssh-ed25519 ${blob(1)}\n`
    const named = to({ address: 'db1.example', check: { files: [], names: ['db1.example', 'db1'] } })
    expect(linesOf(authority, named).alias).toBeUndefined()
    const aliased = to({ check: { files: [], names: ['10.0.0.1', 'db1'], alias: 'other' } })
    expect(linesOf(authority, aliased)).toEqual({ lines: [`@cert-authority other ssh-ed25519 ${blob(1)}`] })
  })
})
