import { createPrivateKey, type X509Certificate } from 'node:crypto'
import { saltBytes, verifyPassword } from '../../accounts/passwordHash.ts'
import { parsePhc } from '../../accounts/phc.ts'
import { parseJsonObject } from '../../base/json.ts'
import { quote } from '../../base/shellWords.ts'
import { shortListOf } from '../../base/words.ts'
import { type Authority, createAuthority } from '../../certificates/authority.ts'
import { leafFacts } from '../../certificates/certificateFacts.ts'
import { chainOf, isIssuedBy } from '../../certificates/chain.ts'
import { packHostStores } from '../../certificates/hostStores.ts'
import { generatePassword } from '../../certificates/password.ts'
import { certificatePem, certificatesOf } from '../../certificates/pem.ts'
import type { HostConfig } from '../../config/model.ts'
import { Secret } from '../../secrets/secret.ts'
import type { Transport } from '../../transport/transport.ts'
import type { HostLogin } from '../desired/administrators.ts'
import { missingAuthorityKey, type StorePasswords } from '../desired/generatedStores.ts'
import type { HostFacts } from '../facts/hostFacts.ts'
import { withMachines } from '../hostIdentity.ts'
import { installedUsers, userHash } from '../installedUsers.ts'
import type { Layout } from '../layout.ts'
import { runOrThrow } from '../runOrThrow.ts'
import {
  type ClusterState,
  ownAuthorities,
  trustedAuthorities,
  withAuthority,
  withHost,
  withStorePasswords,
  withUser,
} from '../state/clusterState.ts'
import { StepError } from '../stepError.ts'

/** Secrets of an installation that only its host has once the state directory is lost; a damaged one is absent. */
type InstalledSecrets = {
  /** Key of the host's certificate. */
  readonly key?: Secret
  /** Authorities (PEM) by which the host recognizes others; absent if it calls none. */
  readonly authorities?: readonly string[]
  readonly storePasswords: StorePasswords
}

/** Bytes of one file: some hundred certificates. */
const maxBytes = 256 * 1024

/** Reads the secrets of an installation in one round trip. Rejects with a `TransportError` or a `StepError`. */
export async function readInstalledSecrets(
  transport: Transport,
  { tls, authorities, secretsFile }: Layout,
): Promise<InstalledSecrets> {
  const { stdout } = await runOrThrow(transport, {
    doing: 'reading the key of its certificate',
    fix: 'Run the command again.',
    script: [`${tls}/key.pem`, authorities, secretsFile]
      .map((path) => `head -c ${maxBytes} < ${quote(path)} 2>/dev/null | base64 -w0; echo`)
      .join('\n'),
  })
  const [key = '', trusted = '', secrets = ''] = stdout
    .raw()
    .split('\n', 3)
    .map((line) => Buffer.from(line, 'base64').toString('utf8'))
  const known = certificatesOf(trusted)?.map((one) => certificatePem(one.raw))
  const values = parseJsonObject(secrets)
  const password = (name: string): Secret | undefined => {
    const value = values?.[name]
    return typeof value === 'string' && value !== '' ? new Secret(value) : undefined
  }
  const [keystore, truststore] = [password('java-keystore-password'), password('java-truststore-password')]
  return {
    ...(key !== '' && { key: new Secret(key) }),
    ...(known && { authorities: known }),
    storePasswords: { ...(keystore && { keystore }), ...(truststore && { truststore }) },
  }
}

/** Host that was reached, as far as an adoption needs it. */
type Reached = { readonly host: HostConfig; readonly facts: HostFacts }

/** Returns true for a host whose certificate the state directory does not know, though something is installed there. */
export function isUnknownHost(cluster: string, state: ClusterState, now: Date, reached: Reached): boolean {
  const { host, facts } = reached
  const { chain, currentRelease } = facts.installation
  if (chain === undefined || currentRelease === undefined) return false
  return (
    !state.hosts.has(host.name) || missingAuthorityKey({ cluster, host, facts, state, now }) !== undefined
  )
}

/** Returns true for an authority (PEM) that muster made for the cluster and whose key the state directory lacks. */
export const isLostAuthority = (cluster: string, state: ClusterState, authority: string): boolean =>
  !ownAuthorities(state).includes(authority) &&
  leafFacts(authority, new Date(0))?.subject.includes(`muster ${cluster} authority`) === true

type Adoption =
  | {
      readonly ok: true
      readonly state: ClusterState
      /** The authority that signs from now on was made. */
      readonly made: boolean
      /** Hosts whose certificate stays until it is replaced. */
      readonly adopted: readonly string[]
    }
  | { readonly ok: false; readonly problems: readonly StepError[] }

/**
 * Returns the state with an authority, and with the unknown hosts as they are: their keys, and their certificates as
 * ones of an outside authority, which hosts trust until the last of its certificates is replaced. A host whose
 * certificate has expired or does not fit its key gets a new one at once. One host alone never says who is trusted:
 * its authority is refused unless all others trust it, too.
 */
export async function adoptHosts(options: {
  readonly cluster: string
  readonly unknown: readonly (Reached & { readonly secrets: InstalledSecrets })[]
  /** All hosts that were reached. */
  readonly reached: readonly Reached[]
  readonly state: ClusterState
  /** Passwords of the stores in the file, by host. */
  readonly given: (host: HostConfig) => StorePasswords
  readonly now: Date
}): Promise<Adoption> {
  const { cluster, unknown, given, now } = options
  const found = unknown.map((one) => ({ ...one, links: linksOf(one.facts) }))
  const known = options.reached
    .map(({ host }) => host.name)
    .filter((name) => options.state.hosts.has(name) && !unknown.some(({ host }) => host.name === name))
  const trusting: readonly Trusting[] = [
    ...unknown.map(({ host, secrets }) => ({ name: host.name, authorities: secrets.authorities })),
    ...known.map((name) => ({ name, authorities: trustedAuthorities(options.state) })),
  ]
  const problems = found.flatMap((one) => distrusted(one, trusting) ?? [])
  if (problems.length > 0) return { ok: false, problems }
  const authority = options.state.authority ?? (await createAuthority({ cluster, now, successorOf: 'lost' }))
  let state = withAuthority(options.state, authority)
  if (state.storePasswords === undefined) {
    state = withStorePasswords(state, {
      keystore: agreed(unknown.map(({ secrets }) => secrets.storePasswords.keystore)),
      truststore: agreed(unknown.map(({ secrets }) => secrets.storePasswords.truststore)),
    })
  }
  const adopted: string[] = []
  for (const { host, secrets, links } of found) {
    const root = links.at(-1)
    if (root === undefined) continue
    const outside = certificatePem(root.raw)
    if (secrets.key === undefined || !isUsable(secrets.key, links, now)) {
      // Whoever trusts this host must be known as one of the cluster still.
      state = { ...state, retired: [...new Set([...(state.retired ?? []), outside])] }
      continue
    }
    const own = ownAuthorities(state).includes(outside)
    const chain = links.map((one) => certificatePem(one.raw)).join('')
    const stores = adoptedStores({
      host,
      state,
      authority,
      leaf: { key: secrets.key, chain },
      given: given(host),
    })
    state = withHost(state, host.name, { ...stores, ...(own ? {} : { outside }) })
    adopted.push(host.name)
  }
  state = withMachines(state, options.reached)
  return { ok: true, state, adopted, made: options.state.authority === undefined }
}

/** Certificates of a host from its leaf to the authority. */
const linksOf = ({ installation }: HostFacts): readonly X509Certificate[] => {
  const [leaf, ...others] = certificatesOf(installation.chain ?? '') ?? []
  return leaf === undefined ? [] : chainOf(leaf, others)
}

function adoptedStores(options: {
  readonly host: HostConfig
  readonly state: ClusterState
  readonly authority: Authority
  readonly leaf: { readonly key: Secret; readonly chain: string }
  readonly given: StorePasswords
}): ReturnType<typeof packHostStores> {
  const { host, state, authority, leaf, given } = options
  return packHostStores({
    leaf,
    authority,
    trusted: trustedAuthorities(state),
    alias: host.tls.alias,
    keystorePassword: given.keystore ?? state.storePasswords?.keystore ?? generatePassword(),
    truststorePassword: given.truststore ?? state.storePasswords?.truststore ?? generatePassword(),
  })
}

/** Returns the password that all hosts have; a new one if they differ. */
function agreed(passwords: readonly (Secret | undefined)[]): Secret {
  const [first] = passwords
  return first !== undefined && passwords.every((one) => one?.equals(first) === true)
    ? first
    : generatePassword()
}

/** Returns true for a chain up to a self-signed authority that is valid now and belongs to the key. */
function isUsable(key: Secret, links: readonly X509Certificate[], now: Date): boolean {
  const [leaf] = links
  const last = links.at(-1)
  if (leaf === undefined || last === undefined || !isIssuedBy(last, last)) return false
  const isValid = links.every((one) => now >= new Date(one.validFrom) && now <= new Date(one.validTo))
  try {
    return isValid && leaf.checkPrivateKey(createPrivateKey(key.reveal()))
  } catch {
    return false
  }
}

/** Host with the authorities (PEM) that it trusts; without them if it calls no other host. */
type Trusting = { readonly name: string; readonly authorities?: readonly string[] | undefined }

/** Reports a host whose authority another host does not trust. */
function distrusted(
  { host, links }: { readonly host: HostConfig; readonly links: readonly X509Certificate[] },
  all: readonly Trusting[],
): StepError | undefined {
  const root = links.at(-1)
  if (root === undefined) return undefined
  const authority = certificatePem(root.raw)
  const others = all
    .filter(({ name }) => name !== host.name)
    .filter(({ authorities }) => authorities !== undefined && !authorities.includes(authority))
    .map(({ name }) => name)
  if (others.length === 0) return undefined
  const [trust, these] = others.length === 1 ? ['does', 'that host'] : ['do', 'those hosts']
  return new StepError({
    host: host.name,
    code: 'authority-elsewhere',
    message: `its certificate was issued by an authority that ${shortListOf(others, 8)} ${trust} not trust (SHA-256 ${root.fingerprint256.slice(0, 23)}…), so it is unknown which of them belong together`,
    fix: `Find out who changed ${host.name} or ${these}: muster cert list. Uninstall what does not belong to the cluster, run this again, then install it anew.`,
  })
}

/** Users of the file as the hosts have them, for a state that knows none. */
export type AdoptedUsers = {
  readonly state: ClusterState
  readonly adopted: readonly string[]
  /** Users whose password neither the file nor the state directory has. */
  readonly unknown: readonly string[]
  /** Users whose password in the file is not that of a host, with these hosts. */
  readonly differing: readonly { readonly user: string; readonly hosts: readonly string[] }[]
  /** Users of hosts that are not in the file. */
  readonly others: readonly string[]
}

/** Returns the state with the users of the file as they are on the hosts, so that no login changes. */
export async function adoptUsers(logins: readonly HostLogin[], before: ClusterState): Promise<AdoptedUsers> {
  let state = before
  const adopted: string[] = []
  const unknown: string[] = []
  const differing: { user: string; hosts: string[] }[] = []
  const names = [...new Set(logins.flatMap(({ host }) => host.users.map(({ user }) => user)))]
  for (const user of names) {
    const having = logins.flatMap(({ host, facts, given }) => {
      const hash = userHash(facts.installation.users, user)
      const isWanted = host.users.some((one) => one.user === user)
      return hash === undefined || !isWanted ? [] : [{ host: host.name, hash, password: given.get(user) }]
    })
    const [first] = having
    if (first === undefined || state.users.has(user)) continue
    const salt = parsePhc(first.hash)?.salt
    if (salt?.length === saltBytes) state = withUser(state, user, { salt })
    adopted.push(user)
    if (having.some(({ password }) => password === undefined)) unknown.push(user)
    const others: string[] = []
    for (const { host, hash, password } of having) {
      if (password !== undefined && !(await verifyPassword(password, hash))) others.push(host)
    }
    if (others.length > 0) differing.push({ user, hosts: others })
  }
  const others = logins.flatMap(({ facts }) =>
    installedUsers(facts.installation.users).flatMap(({ user }) => (names.includes(user) ? [] : [user])),
  )
  return { state, adopted, unknown, differing, others: [...new Set(others)].sort() }
}
