import { describe, expect, it } from 'vitest'
import { serversOf, trustServers } from '../../src/deployment/trustServers.ts'
import type { Destination } from '../../src/transport/destination.ts'
import { TransportError } from '../../src/transport/transportError.ts'
import { makeKey } from '../support/sshServer.ts'

const server = (label: string, jump = false, user = 'ops'): Destination => ({
  label,
  jump,
  address: label,
  port: 22,
  user,
  keys: { first: [], files: [], agent: 'all', required: false },
  check: { files: ['/kh'], names: [label] },
  timeout: 1000,
})
const key = Buffer.from(makeKey('ed25519').public.split(' ')[1] ?? '', 'base64')

describe('serversOf and trustServers', () => {
  it('return each server once, after its jump hosts', () => {
    const gate = server('gate', true)
    const routes = [
      { jumps: [gate, server('inner', true)], target: server('db1') },
      { jumps: [server('gate', true, 'root')], target: server('db2') },
      { jumps: [], target: server('db3') },
    ]
    const servers = serversOf(routes)
    expect(servers.map(({ label }) => label)).toEqual(['gate', 'db3', 'inner', 'db2', 'db1'])
    expect(servers.at(-1)?.jumpHostIds).toEqual([servers[0]?.id, servers[2]?.id])
  })

  it('return two servers for one name behind two jump hosts', () => {
    const inner = server('inner', true)
    const routes = ['north', 'south'].map((name) => ({
      jumps: [server(name, true), inner],
      target: server(`db-${name}`),
    }))
    expect(serversOf(routes).filter(({ label }) => label === 'inner')).toHaveLength(2)
  })

  it('read at most ten servers in parallel, and a failure affects no other server', async () => {
    let [open, most] = [0, 0]
    const servers = serversOf(
      Array.from({ length: 40 }, (_, index) => ({ jumps: [], target: server(`db${index}`) })),
    )
    const outcomes = await trustServers(servers, {
      readKeys: async ({ label }) => {
        open += 1
        most = Math.max(most, open)
        await new Promise((resolve) => setImmediate(resolve))
        open -= 1
        if (label !== 'db7') return [key]
        throw new TransportError({ host: label, code: 'connection-refused', message: 'no', fix: 'yes' })
      },
      readEntries: async () => [],
      decide: async () => [],
      add: () => Promise.reject(new Error('nothing was decided')),
    })
    expect(most).toBe(10)
    expect(outcomes.filter(({ result }) => result === 'untrusted')).toHaveLength(39)
    expect(outcomes[7]).toMatchObject({ result: 'unreachable', failure: { message: 'no' } })
  })
})
