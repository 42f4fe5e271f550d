import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Authority, createAuthority } from '../../../src/certificates/authority.ts'
import { describeChain } from '../../../src/certificates/describeChain.ts'
import { readStore } from '../../../src/certificates/stores/readStore.ts'
import { decideCertificates } from '../../../src/deployment/certificates/decideCertificates.ts'
import { afterPhase, beginRotation } from '../../../src/deployment/certificates/rotation.ts'
import type { HostFacts } from '../../../src/deployment/facts/model.ts'
import { type ClusterState, emptyState } from '../../../src/deployment/state/clusterState.ts'
import { decodeState } from '../../../src/deployment/state/decodeState.ts'
import { encodeState } from '../../../src/deployment/state/stateFiles.ts'
import type { Target } from '../../../src/deployment/target.ts'
import { Secret } from '../../../src/secrets/secret.ts'
import { hostConfig, hostFacts, installationFacts } from '../../support/deploymentValues.ts'

const now = new Date('2026-03-10T12:00:00Z')
const names = ['db1', 'db2', 'db3']
const hosts = names.map((name, index) => hostConfig({ name, address: `10.0.0.${index + 11}` }))

/** What one host shows and trusts, PEM. */
type Has = { readonly chain: string; readonly trusts: readonly string[] }

/** A cluster as three machines and the operator's disk; a run changes it one act at a time. */
type Cluster = { files: ReadonlyMap<string, Buffer>; has: Map<string, Has> }

class Killed extends Error {}

let first: Authority
let successor: Authority
let installed: Cluster

const stateOf = ({ files }: Cluster): ClusterState => decodeState(files, '.muster/alpha')

const factsOf = (name: string, { has }: Cluster): HostFacts =>
  hostFacts({
    hostname: name,
    installation: installationFacts({
      currentRelease: '1.2.3',
      applied: new Map([['manager', 'x']]),
      chain: has.get(name)?.chain ?? '',
    }),
  })

async function decide(cluster: Cluster, state: ClusterState, reached: readonly string[], renew = false) {
  const surveyed = hosts
    .filter(({ name }) => reached.includes(name))
    .map((host) => ({ host, facts: factsOf(host.name, cluster) }))
  const decided = await decideCertificates({
    cluster: 'alpha',
    surveyed,
    state,
    secrets: new Map(),
    renew,
    now,
  })
  if (!decided.ok) throw new Error(decided.problems.map(({ message }) => message).join())
  return decided
}

const chainIn = ({ tls }: Pick<Target, 'tls'>): string =>
  String(tls.find(({ path }) => path.endsWith('chain.pem'))?.content)

const known = new Map<string, boolean>()
/** Whether an authority signed the leaf of a chain; asked so often that the answer is kept. */
function issued(chain: string, authority: string): boolean {
  const key = chain + authority
  const answer = known.get(key) ?? describeChain(chain, now)?.issuedBy(authority) === true
  known.set(key, answer)
  return answer
}

/** Everybody who trusts what muster spread can talk to every host, and curl with the state's file can, too. */
function expectTrust(cluster: Cluster): void {
  const trusting = [...cluster.has].map(([name, { trusts }]) => [name, trusts] as const)
  const file = String(cluster.files.get('authority.crt')).split(/(?<=-----END CERTIFICATE-----\n)/)
  for (const [shower, { chain }] of cluster.has) {
    for (const [who, authorities] of [...trusting, ['curl', file] as const]) {
      const trusted = authorities.some((one) => issued(chain, one))
      expect(trusted, `${who} trusts ${shower}`).toBe(true)
    }
  }
}

/** One run of a command, as the commands make it; it is killed before its act number `last`. */
function actor(cluster: Cluster, last: number): (change: () => void) => void {
  let acts = 0
  return (change) => {
    if (acts === last) throw new Killed()
    acts += 1
    change()
    expectTrust(cluster)
  }
}

type Act = ReturnType<typeof actor>

/** Keeps the state, then gives the reached hosts their files. */
async function spread(
  cluster: Cluster,
  state: ClusterState,
  {
    reached,
    act,
    renew,
  }: { readonly reached: readonly string[]; readonly act: Act; readonly renew?: boolean },
): Promise<ClusterState> {
  const decided = await decide(cluster, state, reached, renew)
  act(() => {
    cluster.files = new Map([...cluster.files, ...encodeState(decided.state)])
  })
  for (const target of decided.targets) {
    act(() => void cluster.has.set(target.host.name, { chain: chainIn(target), trusts: target.authorities }))
  }
  return decided.state
}

async function rotate(cluster: Cluster, reached: readonly string[], act: Act): Promise<void> {
  const kept = stateOf(cluster)
  let state = kept.rotation === undefined ? beginRotation(kept, successor) : kept
  while (state.rotation !== undefined) {
    const after = await spread(cluster, state, { reached, act })
    if (reached.length < hosts.length) return
    state = afterPhase(after)
    act(() => {
      cluster.files = new Map([...cluster.files, ...encodeState(state)])
    })
  }
}

beforeAll(async () => {
  first = await createAuthority({ cluster: 'alpha', now })
  successor = await createAuthority({ cluster: 'alpha', now, successor: true })
  const passwords = { keystore: new Secret('one'), truststore: new Secret('two') }
  const state = { ...emptyState, authority: first, storePasswords: passwords }
  const bare: Cluster = { files: encodeState(state), has: new Map() }
  const none = new Map(names.map((name) => [name, { chain: 'none', trusts: [] }]))
  const decided = await decide({ ...bare, has: none }, state, names)
  installed = {
    files: encodeState(decided.state),
    has: new Map(
      decided.targets.map((target) => [
        target.host.name,
        { chain: chainIn(target), trusts: target.authorities },
      ]),
    ),
  }
})

const fresh = (): Cluster => ({ files: installed.files, has: new Map(installed.has) })

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

describe('a rotation of the authority', () => {
  it('comes to the same end from every point at which it is stopped', async () => {
    let points = 0
    for (let last = 0; ; last += 1) {
      const cluster = fresh()
      const killed = await rotate(cluster, names, actor(cluster, last)).then(
        () => false,
        (error: unknown) => {
          if (!(error instanceof Killed)) throw error
          return true
        },
      )
      // The one that begins here is a rotation of its own where the first had kept nothing yet.
      if (killed) await rotate(cluster, names, actor(cluster, Infinity))
      expectRotated(cluster)
      if (!killed) break
      points += 1
    }
    expect(points).toBe(3 * (1 + names.length + 1))
  })

  it('keeps every host and client in trust whatever runs in between, and with hosts that are down', async () => {
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
          const work =
            command === 'rotate'
              ? rotate(cluster, reached, act)
              : spread(cluster, state, { reached, act, renew: command === 'renew' })
          await work.catch((error: unknown) => {
            if (!(error instanceof Killed)) throw error
          })
        }
        const done = stateOf(cluster)
        if (done.rotation !== undefined || done.retired === undefined) {
          await rotate(cluster, names, actor(cluster, Infinity))
        }
        // A run that was killed before has left hosts without what the state keeps for them.
        await spread(cluster, stateOf(cluster), { reached: names, act: actor(cluster, Infinity) })
        expectRotated(cluster)
      }),
      { numRuns: 40 },
    )
  })

  it('gives truststores both authorities while it lasts, and takes no kept leaf away for that', async () => {
    const cluster = fresh()
    const state = beginRotation(stateOf(cluster), successor)
    const { targets, notes } = await decide(cluster, state, ['db1'])
    expect(notes).toEqual([])
    const [target] = targets
    expect(target && chainIn(target)).toBe(installed.has.get('db1')?.chain)
    const store = target?.tls.find(({ path }) => path.endsWith('truststore.p12'))?.content
    const read = readStore(store instanceof Buffer ? store : Buffer.of(), new Secret('two'))
    expect(read.ok && read.store.trusted.map(({ certificate }) => certificate)).toEqual([
      first.certificate,
      successor.certificate,
    ])
    const moved = await decide(cluster, afterPhase(state), ['db1', 'db2'])
    expect(moved.notes).toEqual([
      'issue certificates for db1 and db2: each present one is of the old authority',
    ])
  })

  it('knows a host again that comes back with a leaf of the retired authority', async () => {
    const cluster = fresh()
    await rotate(cluster, names, actor(cluster, Infinity))
    const before = installed.has.get('db2')
    if (before !== undefined) cluster.has.set('db2', before)
    const { targets } = await decide(cluster, stateOf(cluster), ['db2'])
    expect(targets[0]?.authorities).toEqual([successor.certificate])
  })
})

describe('a renewal', () => {
  it('makes another leaf, but not where the last run kept one that the host has not got', async () => {
    const cluster = fresh()
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

  it('leaves a certificate of an outside authority alone, and says so', async () => {
    const cluster = fresh()
    const state = stateOf(cluster)
    const kept = state.hosts.get('db2')
    if (kept === undefined) throw new Error('db2 has no stores')
    const outside = await createAuthority({ cluster: 'outside', now })
    const hosts = new Map(state.hosts).set('db2', { ...kept, outside: outside.certificate })
    const { notes, targets } = await decide(cluster, { ...state, hosts }, ['db1', 'db2'], true)
    expect(notes).toEqual([
      'db2 has a certificate of an outside authority, which muster never renews: see muster cert csr',
      'issue a certificate for db1: its present one is to be renewed',
    ])
    expect(targets.map(chainIn)[1]).toBe(installed.has.get('db2')?.chain)
  })
})
