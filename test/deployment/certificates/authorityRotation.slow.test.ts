import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Authority, createAuthority, decryptKey } from '../../../src/certificates/authority.ts'
import { describeChain } from '../../../src/certificates/chain.ts'
import { readStore } from '../../../src/certificates/stores/readStore.ts'
import { advanceRotation, beginRotation } from '../../../src/deployment/certificates/authorityRotation.ts'
import { Secret } from '../../../src/secrets/secret.ts'
import {
  type Act,
  actor,
  type Cluster,
  chainIn,
  decide,
  installedCluster,
  Killed,
  keep,
  names,
  now,
  spread,
  stateOf,
  wasKilled,
} from './simulated.ts'

const passphrase = new Secret('five random words')

describe.each([
  { of: 'a rotation of the authority', protection: {} },
  { of: 'a rotation of an authority whose key is protected', protection: { passphrase } },
])('$of', ({ protection }) => {
  let first: Authority
  let successor: Authority
  let fresh: () => Cluster

  beforeAll(async () => {
    const installed = await installedCluster(protection)
    first = installed.authority
    fresh = installed.fresh
    successor = await createAuthority({ cluster: 'alpha', now, successorOf: first })
  })

  async function rotate(cluster: Cluster, reached: readonly string[], act: Act): Promise<void> {
    const kept = stateOf(cluster)
    let state = kept.rotation === undefined ? beginRotation(kept, successor) : kept
    while (state.rotation !== undefined) {
      const after = await spread(cluster, state, { reached, act })
      if (reached.length < names.length) return
      state = advanceRotation(after)
      act(() => keep(cluster, state))
    }
  }

  function expectRotated(cluster: Cluster): void {
    const state = stateOf(cluster)
    expect(state.authority?.certificate).toBe(successor.certificate)
    expect(state.rotation).toBeUndefined()
    expect(state.retired).toEqual([first.certificate])
    expect(String(cluster.files.get('authority.crt'))).toBe(successor.certificate)
    expect(String(cluster.files.get('authority.key'))).toBe(successor.key.reveal())
    for (const { chain, trusts } of cluster.has.values()) {
      expect(trusts).toEqual([successor.certificate])
      expect(describeChain(chain, now)?.issuedBy(successor.certificate)).toBe(true)
    }
  }

  it('has the same result from every point of interruption', async () => {
    let points = 0
    for (let last = 0; ; last += 1) {
      const cluster = fresh()
      const killed = await wasKilled(rotate(cluster, names, actor(cluster, last)))
      // The one that begins here is a rotation of its own where the first had kept nothing yet.
      if (killed) await rotate(cluster, names, actor(cluster, Infinity))
      expectRotated(cluster)
      if (!killed) break
      points += 1
    }
    expect(points).toBe(3 * (1 + names.length + 1))
  })

  it('keeps every host and client trusted, whatever runs in between and with hosts down', async () => {
    const run = fc.record({
      command: fc.constantFrom('rotate', 'install', 'renew'),
      reached: fc.subarray(names, { minLength: 1 }),
      last: fc.oneof(fc.nat(14), fc.constant(Infinity)),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(run, { maxLength: 6 }), async (runs) => {
        const cluster = fresh()
        for (const { command, reached, last } of runs) {
          const act = actor(cluster, last)
          const state = stateOf(cluster)
          // A second rotation after the first would need a third authority.
          if (
            command === 'rotate' &&
            state.authority?.certificate === successor.certificate &&
            !state.rotation
          )
            continue
          await wasKilled(
            command === 'rotate'
              ? rotate(cluster, reached, act)
              : spread(cluster, state, { reached, act, renew: command === 'renew' }).then(() => undefined),
          )
        }
        const done = stateOf(cluster)
        if (done.rotation !== undefined || done.retired === undefined) {
          await rotate(cluster, names, actor(cluster, Infinity))
        }
        // A run that was killed before has left hosts without what the state keeps for them.
        await spread(cluster, stateOf(cluster), { reached: names, act: actor(cluster, Infinity) })
        expectRotated(cluster)
      }),
      { numRuns: 12 },
    )
  })

  it('puts both authorities into truststores while it runs and replaces no leaf for that', async () => {
    const cluster = fresh()
    const state = beginRotation(stateOf(cluster), successor)
    const { targets, notes } = await decide(cluster, state, ['db1'])
    expect(notes).toEqual([])
    const [target] = targets
    expect(target && chainIn(target)).toBe(fresh().has.get('db1')?.chain)
    const store = target?.tls.find(({ path }) => path.endsWith('truststore.p12'))?.content
    const read = readStore(store instanceof Buffer ? store : Buffer.of(), new Secret('two'))
    expect(read.ok && read.store.trusted.map(({ certificate }) => certificate)).toEqual([
      first.certificate,
      successor.certificate,
    ])
    const moved = await decide(cluster, advanceRotation(state), ['db1', 'db2'])
    expect(moved.notes).toEqual([
      'issue certificates for db1 and db2: each present one is of the old authority',
    ])
  })

  it('recognizes a host that returns with a leaf of the retired authority', async () => {
    const cluster = fresh()
    await rotate(cluster, names, actor(cluster, Infinity))
    const before = fresh().has.get('db2')
    if (before !== undefined) cluster.has.set('db2', before)
    const { targets } = await decide(cluster, stateOf(cluster), ['db2'])
    expect(targets[0]?.authorities).toEqual([successor.certificate])
  })

  it('protects the new key like the old one', () => {
    const opened = decryptKey(successor.key, passphrase)?.reveal()
    expect(opened).toContain('BEGIN PRIVATE KEY')
    expect(successor.key.reveal() === opened).toBe(first.passphrase === undefined)
  })
})

describe('a certificate renewal', () => {
  it('issues a new leaf unless an interrupted run already issued one', async () => {
    const cluster = (await installedCluster()).fresh()
    const killed = spread(cluster, stateOf(cluster), { reached: names, act: actor(cluster, 2), renew: true })
    await expect(killed).rejects.toThrow(Killed)
    const kept = stateOf(cluster).hosts
    expect(cluster.has.get('db1')?.chain).toBe(kept.get('db1')?.chain)
    expect(cluster.has.get('db2')?.chain).not.toBe(kept.get('db2')?.chain)
    await spread(cluster, stateOf(cluster), { reached: names, act: actor(cluster, Infinity), renew: true })
    expect(cluster.has.get('db1')?.chain).not.toBe(kept.get('db1')?.chain)
    expect(cluster.has.get('db2')?.chain).toBe(kept.get('db2')?.chain)
    expect(cluster.has.get('db3')?.chain).toBe(kept.get('db3')?.chain)
  })

  it('keeps a certificate of an outside authority and notes it', async () => {
    const cluster = (await installedCluster()).fresh()
    const state = stateOf(cluster)
    const kept = state.hosts.get('db2')
    if (kept === undefined) throw new Error('db2 has no stores')
    const outside = await createAuthority({ cluster: 'outside', now })
    const hosts = new Map(state.hosts).set('db2', { ...kept, outside: outside.certificate })
    const { notes, targets } = await decide(cluster, { ...state, hosts }, ['db1', 'db2'], { renew: true })
    expect(notes).toEqual([
      'db2 has a certificate of an external authority, which muster cannot renew: request a new one with muster cert csr, or replace it with --own-authority',
      'issue a certificate for db1: its present one is to be renewed',
    ])
    expect(targets.map(chainIn)[1]).toBe(cluster.has.get('db2')?.chain)
  })
})
