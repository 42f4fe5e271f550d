import type { Duplex } from 'node:stream'
import type { Destination } from '../destination.ts'
import type { SshPlace } from '../sshErrors.ts'
import { openSession } from '../sshSession.ts'
import { TransportError } from '../transportError.ts'
import { type HostKeyAlgorithm, hostKeyAlgorithms, remainingHostKeyAlgorithms } from './algorithms.ts'
import { hostKeyPolicy, knownHostsLookup } from './hostKeyPolicy.ts'
import { checkHostKey, fingerprint, type KnownHost, knownTypes, typeOfKey } from './knownHosts.ts'

/** Key that a server showed, compared with known_hosts. */
export type ShownKey = {
  /** Such as `ssh-ed25519`. */
  readonly type: string
  /** `SHA256:…` */
  readonly fingerprint: string
  readonly key: Buffer
  /** `other`: no key of this type is known, while one of another type is known or changed. */
  readonly state: 'known' | 'new' | 'other' | 'changed' | 'revoked'
  /** The known key that differs, or the line that revokes it; with its type where that is another one. */
  readonly instead?: { readonly type?: string; readonly fingerprint: string; readonly place: string }
}

/**
 * Comparison of a server's keys with known_hosts. Connections accept `known` keys only. `new`: no entry for
 * or against the server.
 */
export type HostKeyComparison = { readonly keys: readonly ShownKey[] } & (
  | { readonly state: 'known' | 'new' }
  /** The error that a connection would fail with. */
  | { readonly state: 'changed' | 'revoked'; readonly problem: TransportError }
)

type Server = Pick<Destination, 'label' | 'jump' | 'port' | 'check'>

/** Compares the keys that a server showed, all different, with the entries of its known_hosts files. */
export function compareHostKeys(
  server: Server,
  entries: readonly KnownHost[],
  shown: readonly Buffer[],
): HostKeyComparison {
  const policy = hostKeyPolicy(server, entries)
  const ordered = sortByPreference(shown, knownTypes(entries, knownHostsLookup(server)))
  const keys =
    server.check.pinned === undefined
      ? compareWithKnownHosts(server, entries, ordered)
      : compareWithPin(server, ordered)
  for (const state of ['revoked', 'changed'] as const) {
    const bad = keys.find((key) => key.state === state)
    const problem = bad === undefined ? undefined : policy.check(bad.key)
    if (problem !== undefined) return { state, keys, problem }
  }
  return { state: keys.some(({ state }) => state === 'known') ? 'known' : 'new', keys }
}

/** Sorts keys like a connection asks for them: known types first. */
function sortByPreference(shown: readonly Buffer[], known: readonly string[]): readonly Buffer[] {
  const algorithms = hostKeyAlgorithms(known).map((algorithm) =>
    algorithm.startsWith('rsa') ? 'ssh-rsa' : algorithm,
  )
  const place = (key: Buffer): number =>
    algorithms.findIndex((algorithm) => algorithm === (typeOfKey(key) ?? ''))
  return [...shown].sort((one, other) => place(one) - place(other))
}

const facts = (key: Buffer) => ({ type: typeOfKey(key) ?? 'unknown', fingerprint: fingerprint(key), key })

function compareWithPin({ check }: Server, shown: readonly Buffer[]): readonly ShownKey[] {
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

function compareWithKnownHosts(
  server: Server,
  entries: readonly KnownHost[],
  shown: readonly Buffer[],
): readonly ShownKey[] {
  const compared = shown.map((key) => ({
    key,
    verdict: checkHostKey(entries, knownHostsLookup(server), key),
  }))
  // A key is compared with the line of its own type: one without a line is neither known nor wrong. With the line of
  // another type it is compared only where the server showed no key of that type.
  const hasOwnLine = compared.some(
    ({ key, verdict }) =>
      verdict.kind === 'trusted' || (verdict.kind === 'changed' && verdict.known.type === typeOfKey(key)),
  )
  return compared.map(({ key, verdict }) => {
    if (verdict.kind === 'trusted') return { ...facts(key), state: 'known' }
    if (verdict.kind === 'unknown') return { ...facts(key), state: hasOwnLine ? 'other' : 'new' }
    const { known } = verdict
    const isOtherType = known.type !== typeOfKey(key)
    if (verdict.kind === 'changed' && hasOwnLine && isOtherType) return { ...facts(key), state: 'other' }
    const instead = {
      ...(isOtherType ? { type: known.type } : {}),
      fingerprint: fingerprint(known.key),
      place: `${known.file} line ${known.line}`,
    }
    return { ...facts(key), state: verdict.kind, instead }
  })
}

type Reading = {
  readonly place: SshPlace
  /** Opens a new stream to the server for each handshake. */
  readonly open: (left: number) => Promise<Duplex>
  /** Runs an attempt and retries passing failures; hands over the remaining milliseconds. */
  readonly retry: <Result>(attempt: (left: number) => Promise<Result>) => Promise<Result>
}

/**
 * Reads the public keys of a server, one of each type, in our order of preference, without a login. A
 * handshake shows one key, so each handshake asks for the remaining types. The server signs with each key.
 * Rejects with `TransportError`.
 */
export async function readHostKeys(reading: Reading): Promise<readonly Buffer[]> {
  const keys: Buffer[] = []
  for (;;) {
    const types = keys.map((key) => typeOfKey(key) ?? '')
    const algorithms = remainingHostKeyAlgorithms(types)
    if (algorithms.length === 0) return keys
    try {
      const key = await reading.retry((left) => readHostKey({ ...reading, algorithms, left }))
      // Otherwise a server that ignores the requested types would be asked for ever.
      if (types.includes(typeOfKey(key) ?? '')) return keys
      keys.push(key)
    } catch (error) {
      const noneLeft = error instanceof TransportError && error.code === 'no-login-method'
      if (noneLeft && keys.length > 0) return keys
      throw error
    }
  }
}

/** Runs one handshake up to the login: by then the server has signed with the key that it showed. */
async function readHostKey(
  options: Reading & { readonly algorithms: readonly HostKeyAlgorithm[]; readonly left: number },
): Promise<Buffer> {
  const { place, algorithms, left } = options
  let shown: Buffer | undefined
  const recordKey = (key: Buffer): undefined => {
    shown = key
  }
  try {
    const session = await openSession({
      place,
      stream: await options.open(left),
      policy: { algorithms, pinned: false, check: recordKey },
      login: { keys: [], skipped: [] },
      left,
      keepalive: 0,
    })
    session.destroy()
  } catch (error) {
    // Without a key to offer, the login fails on our side, and only once the handshake is over.
    const handshakeDone = error instanceof TransportError && error.code === 'login-refused'
    if (handshakeDone && shown !== undefined) return shown
    throw error
  }
  throw new Error('the server accepted a login that was never sent')
}
