import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { describeChain } from '../../../src/certificates/chain.ts'
import { retirementOf } from '../../../src/deployment/certificates/authorityRotation.ts'
import { importOutside } from '../../../src/deployment/certificates/outsideCertificates.ts'
import {
  type ClusterState,
  trustedAuthorities,
  untrustedAuthorities,
} from '../../../src/deployment/state/clusterState.ts'
import { outsideAuthority, outsideChain, type Signer } from '../../certificates/outside.ts'
import { hostConfig } from '../../support/deploymentValues.ts'
import {
  type Act,
  actor,
  type Cluster,
  chainIn,
  decide,
  installedCluster,
  keep,
  names,
  now,
  spread,
  stateOf,
  wasKilled,
} from './simulated.ts'

const outsiders = ['db1', 'db2']
let corp: Signer
let own: string
let fresh: () => Cluster

/** A cluster of which two hosts have certificates of an outside authority, which every host trusts. */
beforeAll(async () => {
  corp = await outsideAuthority('corp', now)
  const installed = await installedCluster()
  own = installed.authority.certificate
  const cluster = installed.fresh()
  const state = outsiders.reduce(withOutside, stateOf(cluster))
  keep(cluster, state)
  // Nobody trusts the outside authority before that: the order of an installation does not matter here.
  const { targets, state: after } = await decide(cluster, state, names)
  keep(cluster, after)
  for (const target of targets) {
    cluster.has.set(target.host.name, { chain: chainIn(target), trusts: target.authorities })
  }
  const { files, has } = cluster
  fresh = () => ({ files, has: new Map(has) })
})

function withOutside(state: ClusterState, name: string): ClusterState {
  const key = state.hosts.get(name)?.key
  if (key === undefined) throw new Error(`no key of ${name}`)
  const address = `10.0.0.${names.indexOf(name) + 11}`
  const pem = outsideChain({ by: corp, key, name, address, now })
  const imported = importOutside({ state, host: hostConfig({ name, address }), pem, now })
  return imported?.state ?? state
}

/** The two phases of `muster cert renew --own-authority`. */
async function goBack(
  cluster: Cluster,
  options: { readonly reached: readonly string[]; readonly act: Act; readonly failing?: readonly string[] },
): Promise<void> {
  const kept = stateOf(cluster)
  const leaving = retirementOf(kept, options.reached)
  const moved = await spread(cluster, kept, { ...options, ownAuthority: true })
  if (retirementOf(moved, leaving.hosts).hosts.length > 0 || leaving.dropped.length === 0) return
  await spread(cluster, moved, { ...options, failing: [] })
}

const issuedBy = (cluster: Cluster, name: string, authority: string): boolean | undefined =>
  describeChain(cluster.has.get(name)?.chain ?? '', now)?.issuedBy(authority)

function expectBack(cluster: Cluster): void {
  const state = stateOf(cluster)
  expect(trustedAuthorities(state)).toEqual([own])
  expect(untrustedAuthorities(state)).toEqual([corp.certificate])
  for (const name of names) {
    expect(state.hosts.get(name)).not.toHaveProperty('outside')
    expect(cluster.has.get(name)?.chain).toBe(state.hosts.get(name)?.chain)
    expect(issuedBy(cluster, name, own)).toBe(true)
    expect(cluster.has.get(name)?.trusts).toEqual([own])
  }
}

describe("a return from an outside authority to the cluster's own", () => {
  it('has the same result from every point of interruption', async () => {
    let points = 0
    for (let last = 0; ; last += 1) {
      const cluster = fresh()
      const killed = await wasKilled(goBack(cluster, { reached: names, act: actor(cluster, last) }))
      if (killed) await goBack(cluster, { reached: names, act: actor(cluster, Infinity) })
      expectBack(cluster)
      if (!killed) break
      points += 1
    }
    // State, hosts and state again; then state and hosts.
    expect(points).toBe(1 + names.length + 1 + 1 + names.length)
  })

  it('keeps all hosts trusted and other outside certificates, whatever else runs', async () => {
    const run = fc.record({
      command: fc.constantFrom('back', 'install', 'renew'),
      reached: fc.subarray(names, { minLength: 1 }),
      failing: fc.subarray(outsiders),
      last: fc.oneof(fc.nat(9), fc.constant(Infinity)),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(run, { maxLength: 5 }), async (runs) => {
        const cluster = fresh()
        for (const { command, reached, failing, last } of runs) {
          const act = actor(cluster, last)
          const before = stateOf(cluster).hosts
          const work = { reached, act, failing }
          await wasKilled(
            command === 'back'
              ? goBack(cluster, work)
              : spread(cluster, stateOf(cluster), {
                  ...{ ...work, failing: [] },
                  renew: command === 'renew',
                }).then(() => undefined),
          )
          const after = stateOf(cluster).hosts
          for (const name of outsiders) {
            const [was, is] = [before.get(name), after.get(name)]
            if (was?.outside === undefined) continue
            // It is gone only where another one was proved, which the host still has.
            if (is?.outside === undefined) expect(cluster.has.get(name)?.chain).toBe(is?.chain)
            else expect([is.chain, is.key.reveal()]).toEqual([was.chain, was.key.reveal()])
          }
        }
        await goBack(cluster, { reached: names, act: actor(cluster, Infinity) })
        // Hosts that were not chosen then learn of it by an installation.
        await spread(cluster, stateOf(cluster), { reached: names, act: actor(cluster, Infinity) })
        expectBack(cluster)
      }),
      { numRuns: 15 },
    )
  })

  it('keeps the outside authority trusted while another host has a certificate of it', async () => {
    const cluster = fresh()
    expect(retirementOf(stateOf(cluster), ['db1', 'db3'])).toEqual({
      hosts: ['db1'],
      dropped: [],
      retained: [{ authority: 'CN=muster corp authority', hosts: ['db2'] }],
    })
    await goBack(cluster, { reached: ['db1'], act: actor(cluster, Infinity) })
    expect([issuedBy(cluster, 'db1', own), issuedBy(cluster, 'db2', corp.certificate)]).toEqual([true, true])
    expect(trustedAuthorities(stateOf(cluster))).toEqual([own, corp.certificate])
    expect(cluster.has.get('db1')?.trusts).toEqual([own, corp.certificate])
    expect(retirementOf(stateOf(cluster), ['db2'])).toEqual({
      hosts: ['db2'],
      dropped: ['CN=muster corp authority'],
      retained: [],
    })
  })

  it('is reversible: an imported authority is trusted again', async () => {
    const cluster = fresh()
    await goBack(cluster, { reached: names, act: actor(cluster, Infinity) })
    const again = withOutside(stateOf(cluster), 'db3')
    expect(trustedAuthorities(again)).toEqual([own, corp.certificate])
    expect([again.retired, untrustedAuthorities(again)]).toEqual([[corp.certificate], []])
  })

  it('reports the reason and replaces a certificate only on request', async () => {
    const cluster = fresh()
    const state = stateOf(cluster)
    const { notes, onceProved } = await decide(cluster, state, names, { ownAuthority: true })
    expect(notes).toEqual(['issue certificates for db1 and db2: each present one is of an outside authority'])
    expect([...onceProved.keys()]).toEqual(outsiders)
    expect((await decide(cluster, state, names)).onceProved.size).toBe(0)
  })
})
