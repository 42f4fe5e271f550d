import type { SecretReading, secretReader } from '../cli/secretReader.ts'
import { locatedSecret } from '../config/locatedSecret.ts'
import { accounts, apiUser, passwordFinding } from '../config/passwordFinding.ts'
import { isOnHost } from '../config/paths.ts'
import { groupBySpan, type ResolvedCluster, type ResolvedHost } from '../config/resolve/resolved.ts'
import { secretsOf } from '../config/secretOptions.ts'
import { options } from '../config/settings/options.ts'
import type { Given, Setting } from '../config/settings/setting.ts'
import { isUserEntry } from '../config/settings/userMap.ts'
import type { Diagnostic, Span } from '../diagnostics/diagnostic.ts'
import { finding } from '../diagnostics/finding.ts'
import type { SecretPolicy } from '../secrets/policy.ts'
import type { SecretReference } from '../secrets/reference.ts'
import type { Secret } from '../secrets/secret.ts'
import type { SecretError } from '../secrets/secretError.ts'

/** Readings of all secrets of the hosts, by the place in the file. */
export type SecretReadings = ReadonlyMap<Given, SecretReading>

/** Reads every secret of the hosts, as far as the policy of the reader allows. Rejects only with `Interrupted`. */
export async function readSecrets(options: {
  readonly cluster: ResolvedCluster
  readonly read: ReturnType<typeof secretReader>
  /** Leaves the others unread; absent: all are read. */
  readonly wanted?: (reference: SecretReference) => boolean
}): Promise<SecretReadings> {
  const { cluster, read, wanted = () => true } = options
  const references = new Map<Given, SecretReference>()
  for (const host of cluster.hosts) {
    for (const { resolved } of secretsOf(host)) {
      const reference = locatedSecret(resolved, cluster.paths)
      if (resolved.given === undefined || reference === undefined || !wanted(reference)) continue
      references.set(resolved.given, reference)
    }
  }
  const readings = new Map<Given, SecretReading>()
  // Programs last: by then every other secret is known, and shows in nothing that they say.
  const late = ({ kind }: SecretReference): number => (kind === 'exec' ? 1 : 0)
  for (const [given, reference] of [...references].sort(([, a], [, b]) => late(a) - late(b))) {
    readings.set(given, await read(reference))
  }
  return readings
}

type SecretContext = {
  readonly cluster: ResolvedCluster
  readonly readings: SecretReadings
  readonly policy: SecretPolicy
}

type Found = { readonly span: Span; readonly finding: Diagnostic }

/** Returns the kind of the host's store on this machine that needs this secret. */
function storeOpenedBy(host: ResolvedHost, setting: Setting<unknown>): 'keystore' | 'truststore' | undefined {
  const isHere = (path: Setting<string>): boolean => {
    const { value } = host.option(path)
    return value !== undefined && !isOnHost(value)
  }
  if (setting === options.keystorePassword && isHere(options.keystorePath)) return 'keystore'
  return setting === options.truststorePassword && isHere(options.truststorePath) ? 'truststore' : undefined
}

/** Keeps one finding for each place. */
const firstOfEach = (found: readonly Found[]): readonly Diagnostic[] =>
  groupBySpan(found).map(([{ finding }]) => finding)

/** A secret that was not read; `store` is the one that it opens. */
type Unread = {
  readonly name: string
  readonly reason: string
  readonly store: 'keystore' | 'truststore' | undefined
  readonly fix: string
}

const reasonFor = ({ store }: Unread): string =>
  store === undefined
    ? 'A secret can be checked only after it is read.'
    : `Without it muster cannot open the ${store} and check its contents.`

export const secretNotResolved = finding('secret-not-resolved', (facts: Unread) => ({
  message: `${facts.name} was not read: ${facts.reason}.`,
  why: reasonFor(facts),
  fix: facts.fix,
}))

const secretUnreadable = finding('secret-unreadable', (facts: Unread) => ({
  message: `${facts.name} cannot be read: ${facts.reason}.`,
  why: 'Commands that need it stop before they change anything.',
  fix: facts.fix,
}))

function unread(
  host: ResolvedHost,
  use: { readonly setting: Setting<unknown>; readonly given: Given; readonly failure: SecretError },
  policy: SecretPolicy,
): Found {
  const { setting, given, failure } = use
  const { spelling: name, span } = given
  const facts = { name, reason: failure.reason, store: storeOpenedBy(host, setting), fix: failure.fix }
  const report = policy === 'safe' ? secretNotResolved : secretUnreadable
  return { span, finding: report(facts, { span }) }
}

function checkSecret(host: ResolvedHost, given: Given, password: Secret): Found[] {
  const found = isUserEntry(given)
    ? passwordFinding({ account: apiUser, given, password, user: given.name })
    : accountFinding(host, given, password)
  return found === undefined ? [] : [{ span: given.span, finding: found }]
}

function accountFinding(host: ResolvedHost, given: Given, password: Secret): Diagnostic | undefined {
  const account = accounts.find((one) => one.password === given.setting)
  const user = account === undefined ? undefined : host.option(account.user)
  // A password without its user has its finding already.
  if (account === undefined || user?.given === undefined) return undefined
  return passwordFinding({ account, given, password, user: user.value })
}

/**
 * Returns findings about secrets that stand elsewhere: unreadable ones, and weak passwords. With the policy `safe` an
 * unread secret is only a note.
 */
export function secretFindings({ cluster, readings, policy }: SecretContext): readonly Diagnostic[] {
  const unreadOnes: Found[] = []
  const bad: Found[] = []
  for (const host of cluster.hosts) {
    for (const { setting, resolved } of secretsOf(host)) {
      const { value, given } = resolved
      const reading = given === undefined ? undefined : readings.get(given)
      if (given === undefined || reading === undefined || value?.kind === 'literal') continue
      if ('failure' in reading)
        unreadOnes.push(unread(host, { setting, given, failure: reading.failure }, policy))
      else bad.push(...checkSecret(host, given, reading.secret))
    }
  }
  return [...firstOfEach(unreadOnes), ...firstOfEach(bad)]
}
