import { hostKeyAlgorithms } from './algorithms.ts'
import type { Destination } from './destination.ts'
import { askedFor, hostKeyPolicy } from './hostKeyPolicy.ts'
import { fingerprint, judgeHostKey, type KnownHost, knownTypes, typeOfKey } from './knownHosts.ts'
import type { TransportError } from './transportError.ts'

/** A key that a server showed, and what is known of it. */
export type ShownKey = {
  /** Such as `ssh-ed25519`. */
  readonly type: string
  /** `SHA256:…` */
  readonly fingerprint: string
  readonly key: Buffer
  /** `other`: nothing is known of it, while another key of the server is known. */
  readonly state: 'known' | 'new' | 'other' | 'changed' | 'revoked'
  /** What is known instead, or what revokes it. */
  readonly instead?: { readonly fingerprint: string; readonly place: string }
}

/**
 * What our connections would say of a server that shows these keys: they take `known` ones and refuse all others.
 * `new`: nobody has ever vouched for it, and nothing speaks against it.
 */
export type HostKeyState = { readonly keys: readonly ShownKey[] } & (
  | { readonly state: 'known' | 'new' }
  /** `problem`: as a connection would tell it. */
  | { readonly state: 'changed' | 'revoked'; readonly problem: TransportError }
)

type Server = Pick<Destination, 'label' | 'jump' | 'port' | 'check'>

/** Judges the keys that a server showed, none of them twice; `entries` are what its known_hosts files hold. */
export function hostKeyState(
  server: Server,
  entries: readonly KnownHost[],
  shown: readonly Buffer[],
): HostKeyState {
  const policy = hostKeyPolicy(server, entries)
  const ordered = inOrder(shown, knownTypes(entries, askedFor(server)))
  const keys = server.check.pinned === undefined ? byFiles(server, entries, ordered) : byPin(server, ordered)
  for (const state of ['revoked', 'changed'] as const) {
    const bad = keys.find((key) => key.state === state)
    const problem = bad === undefined ? undefined : policy.judge(bad.key)
    if (problem !== undefined) return { state, keys, problem }
  }
  return { state: keys.some(({ state }) => state === 'known') ? 'known' : 'new', keys }
}

/** As our connections ask for them: types that are known first. */
function inOrder(shown: readonly Buffer[], known: readonly string[]): readonly Buffer[] {
  const algorithms = hostKeyAlgorithms(known).map((algorithm) =>
    algorithm.startsWith('rsa') ? 'ssh-rsa' : algorithm,
  )
  const place = (key: Buffer): number =>
    algorithms.findIndex((algorithm) => algorithm === (typeOfKey(key) ?? ''))
  return [...shown].sort((one, other) => place(one) - place(other))
}

const facts = (key: Buffer) => ({ type: typeOfKey(key) ?? 'unknown', fingerprint: fingerprint(key), key })

function byPin({ check }: Server, shown: readonly Buffer[]): readonly ShownKey[] {
  const wanted = (check.pinned ?? '').replace(/=+$/, '')
  const right = shown.some((key) => fingerprint(key) === wanted)
  return shown.map((key) => {
    if (fingerprint(key) === wanted) return { ...facts(key), state: 'known' }
    if (right) return { ...facts(key), state: 'other' }
    return {
      ...facts(key),
      state: 'changed',
      instead: { fingerprint: wanted, place: 'host-key in the YAML' },
    }
  })
}

function byFiles(
  server: Server,
  entries: readonly KnownHost[],
  shown: readonly Buffer[],
): readonly ShownKey[] {
  const judged = shown.map((key) => ({ key, verdict: judgeHostKey(entries, askedFor(server), key) }))
  const trusted = judged.some(({ verdict }) => verdict.kind === 'trusted')
  return judged.map(({ key, verdict }) => {
    if (verdict.kind === 'trusted') return { ...facts(key), state: 'known' }
    if (verdict.kind === 'unknown') return { ...facts(key), state: trusted ? 'other' : 'new' }
    // A key of a type that the files have none of says nothing, once another key is the known one.
    if (verdict.kind === 'changed' && trusted && verdict.known.type !== typeOfKey(key)) {
      return { ...facts(key), state: 'other' }
    }
    const { known } = verdict
    const instead = { fingerprint: fingerprint(known.key), place: `${known.file} line ${known.line}` }
    return { ...facts(key), state: verdict.kind, instead }
  })
}
