import { expect } from 'vitest'
import { type Authority, createAuthority, encryptKey } from '../../../src/certificates/authority.ts'
import { describeChain } from '../../../src/certificates/chain.ts'
import { afterVerification } from '../../../src/deployment/certificates/authorityRotation.ts'
import { decideCertificates } from '../../../src/deployment/certificates/decideCertificates.ts'
import type { HostFacts } from '../../../src/deployment/facts/hostFacts.ts'
import {
  type ClusterState,
  emptyState,
  trustedAuthorities,
} from '../../../src/deployment/state/clusterState.ts'
import { decodeState } from '../../../src/deployment/state/decodeState.ts'
import { encodeState, isHostFile } from '../../../src/deployment/state/stateFiles.ts'
import type { Target } from '../../../src/deployment/target.ts'
import { Secret } from '../../../src/secrets/secret.ts'
import { hostConfig, hostFacts, installationFacts } from '../../support/deploymentValues.ts'

export const now = new Date('2026-03-10T12:00:00Z')
export const names = ['db1', 'db2', 'db3']
const hosts = names.map((name, index) => hostConfig({ name, address: `10.0.0.${index + 11}` }))

/** What one host shows and trusts, PEM. */
type Has = { readonly chain: string; readonly trusts: readonly string[] }

/** A cluster as three machines and the operator's disk; a run changes it one act at a time. */
export type Cluster = {
  files: ReadonlyMap<string, Buffer>
  has: Map<string, Has>
  /** Of the authority's key, where that is protected. */
  readonly passphrase?: Secret
}

/** A run died. */
export class Killed extends Error {}

/** The state on the operator's disk, which asks for its passphrase as the commands let it. */
export function stateOf({ files, passphrase }: Cluster): ClusterState {
  const state = decodeState(files, '.muster/alpha')
  if (passphrase === undefined || state.authority === undefined) return state
  const ask = async (): Promise<Secret> => passphrase
  const { authority, rotation } = state
  const asking = { ...state, authority: { ...authority, passphrase: ask } }
  if (rotation?.phase !== 'trust') return asking
  return { ...asking, rotation: { ...rotation, next: { ...rotation.next, passphrase: ask } } }
}

const factsOf = (name: string, { has }: Cluster): HostFacts =>
  hostFacts({
    hostname: name,
    installation: installationFacts({
      currentRelease: '1.2.3',
      applied: new Map([['manager', 'x']]),
      chain: has.get(name)?.chain ?? '',
    }),
  })

export async function decide(
  cluster: Cluster,
  state: ClusterState,
  reached: readonly string[],
  { renew = false, ownAuthority = false }: { readonly renew?: boolean; readonly ownAuthority?: boolean } = {},
) {
  const surveyed = hosts
    .filter(({ name }) => reached.includes(name))
    .map((host) => ({ host, facts: factsOf(host.name, cluster) }))
  const decided = await decideCertificates({
    cluster: 'alpha',
    surveyed,
    state,
    secrets: new Map(),
    renew,
    ownAuthority,
    now,
  })
  if (!decided.ok) throw new Error(decided.problems.map(({ message }) => message).join())
  return decided
}

/** The chain that a host gets. */
export const chainIn = ({ tls }: Pick<Target, 'tls'>): string =>
  String(tls.find(({ path }) => path.endsWith('chain.pem'))?.content)

const known = new Map<string, boolean>()
/** Whether an authority signed the leaf of a chain; asked so often that the answer is kept. */
function issued(chain: string, authority: string): boolean {
  const key = chain + authority
  const answer = known.get(key) ?? describeChain(chain, now)?.issuedBy(authority) === true
  known.set(key, answer)
  return answer
}

/**
 * Everybody who trusts what muster spread can talk to every host, and so can curl with what is exported; with the
 * state's own file it can where no outside authority signed.
 */
function expectTrust(cluster: Cluster): void {
  const trusting = [...cluster.has].map(([name, { trusts }]) => [name, trusts] as const)
  const exported = trustedAuthorities(decodeState(cluster.files, '.muster/alpha'))
  for (const [shower, { chain }] of cluster.has) {
    for (const [who, authorities] of [...trusting, ['curl', exported] as const]) {
      const trusted = authorities.some((one) => issued(chain, one))
      expect(trusted, `${who} trusts ${shower}`).toBe(true)
    }
  }
}

/** No key of an authority lies on the disk unprotected where a passphrase protects it. */
function expectProtection({ files, passphrase }: Cluster): void {
  if (passphrase === undefined) return
  const bare = [...files].filter(([, content]) => content.includes('BEGIN PRIVATE KEY')).map(([path]) => path)
  expect(bare.filter((path) => !path.startsWith('hosts/'))).toEqual([])
}

/** One run of a command, as the commands make it; it is killed before its act number `last`. */
export function actor(cluster: Cluster, last: number): (change: () => void) => void {
  let acts = 0
  return (change) => {
    if (acts === last) throw new Killed()
    acts += 1
    change()
    expectTrust(cluster)
    expectProtection(cluster)
  }
}

export type Act = ReturnType<typeof actor>

/** Whether a run was killed; what else went wrong with it is thrown. */
export const wasKilled = (run: Promise<void>): Promise<boolean> =>
  run.then(
    () => false,
    (error: unknown) => {
      if (!(error instanceof Killed)) throw error
      return true
    },
  )

/** The operator's disk once it keeps a state, as `saveState` leaves it. */
export function keep(cluster: Cluster, state: ClusterState): void {
  const wanted = encodeState(state)
  const there = [...cluster.files].filter(([path]) => !isHostFile(path) || wanted.has(path))
  cluster.files = new Map([...there, ...wanted])
}

/**
 * Keeps the state, gives the reached hosts their files, and keeps what waited for their proof, which those that are
 * `failing` do not give: they go back.
 */
export async function spread(
  cluster: Cluster,
  state: ClusterState,
  options: {
    readonly reached: readonly string[]
    readonly act: Act
    readonly renew?: boolean
    readonly ownAuthority?: boolean
    readonly failing?: readonly string[]
  },
): Promise<ClusterState> {
  const { reached, act, failing = [] } = options
  const decided = await decide(cluster, state, reached, options)
  act(() => keep(cluster, decided.state))
  for (const target of decided.targets) {
    const { name } = target.host
    const before = cluster.has.get(name)
    act(() => void cluster.has.set(name, { chain: chainIn(target), trusts: target.authorities }))
    if (failing.includes(name) && before !== undefined) act(() => void cluster.has.set(name, before))
  }
  const proved = [...decided.onceProved].filter(([host]) => !failing.includes(host))
  const after = afterVerification(decided.state, new Map(proved))
  if (after !== decided.state) act(() => keep(cluster, after))
  return after
}

/** Three hosts as an installation leaves them; with a passphrase, the authority's key is protected by it. */
export async function installedCluster(
  options: { readonly passphrase?: Secret } = {},
): Promise<{ readonly authority: Authority; readonly fresh: () => Cluster }> {
  const made = await createAuthority({ cluster: 'alpha', now })
  const { passphrase } = options
  const authority =
    passphrase === undefined
      ? made
      : { ...made, key: encryptKey(made.key, passphrase), passphrase: async () => passphrase }
  const passwords = { keystore: new Secret('one'), truststore: new Secret('two') }
  const state = { ...emptyState, authority, storePasswords: passwords }
  const none = new Map(names.map((name) => [name, { chain: 'none', trusts: [] }]))
  const decided = await decide({ files: encodeState(state), has: none }, state, names)
  const files = encodeState(decided.state)
  const has = decided.targets.map(
    (target) => [target.host.name, { chain: chainIn(target), trusts: target.authorities }] as const,
  )
  return { authority, fresh: () => ({ files, has: new Map(has), ...options }) }
}
