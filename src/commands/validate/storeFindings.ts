import { checkStores } from '../../certificates/checkStores.ts'
import { reportStoreProblem, type StoreProblem, storeFinding } from '../../certificates/storeProblem.ts'
import { type ReadStore, readStore } from '../../certificates/stores/readStore.ts'
import type { RegularFile } from '../../cli/readRegularFile.ts'
import { groupBySpan, type ResolvedCluster, type ResolvedHost } from '../../config/resolve/resolved.ts'
import { options } from '../../config/settings/options.ts'
import type { Given } from '../../config/settings/setting.ts'
import type { Diagnostic } from '../../diagnostics/diagnostic.ts'
import type { Place } from '../../diagnostics/finding.ts'
import { trustFix } from '../../secrets/policy.ts'
import type { Secret } from '../../secrets/secret.ts'
import { type SecretReadings, secretNotResolved } from '../../session/secretFindings.ts'
import { lockedStore, type StoreKind, type StoreUse, storeUse } from './storeUse.ts'

/** Returns the value to change, and the place of the store if that is elsewhere. */
function placeOfProblem(
  problem: StoreProblem,
  given: {
    readonly keystore: StoreUse | undefined
    readonly truststore: StoreUse | undefined
    readonly alias: Given | undefined
  },
): Place | undefined {
  const { keystore, truststore, alias } = given
  const kind: StoreKind = problem.code.startsWith('truststore-') ? 'truststore' : 'keystore'
  const store = kind === 'keystore' ? keystore : truststore
  if (store === undefined) return undefined
  const beside = (at: Given, other: Given, what: StoreKind): Place => ({
    span: at.span,
    related: [{ message: `The ${what} is named here.`, span: other.span }],
  })
  switch (problem.code) {
    case 'keystore-wrong-password':
    case 'truststore-wrong-password':
      return beside(store.password?.given ?? store.path, store.path, kind)
    case 'keystore-alias-absent':
      return alias === undefined ? { span: store.path.span } : beside(alias, store.path, kind)
    case 'truststore-does-not-trust':
      return beside(store.path, keystore?.path ?? store.path, 'keystore')
    default:
      return { span: store.path.span }
  }
}

/** Problem of a host's store, and the place in the file to change. */
type StoreFound = { readonly problem: StoreProblem; readonly place: Place; readonly host: string }

/** Returns the same text for problems of one place that differ only in missing names. */
function identityOf({ code, facts }: StoreProblem): string {
  const { missing: _, ...same } = { missing: undefined, ...facts }
  return JSON.stringify([code, same])
}

/** Unites the names that certificates of several hosts lack; undefined for other problems. */
function missingNames(group: readonly StoreFound[]): readonly string[] | undefined {
  const all = group.flatMap(({ problem: { facts } }) => facts.missing ?? [])
  return all.length === 0 ? undefined : [...new Set(all)]
}

/** Merges equal findings of one place into one that names all hosts. */
function mergeFindings(found: readonly StoreFound[]): readonly Diagnostic[] {
  return groupBySpan(found.map((one) => ({ ...one, span: one.place.span }))).flatMap((there) => {
    const groups = new Map<string, [StoreFound, ...StoreFound[]]>()
    for (const one of there) {
      const group = groups.get(identityOf(one.problem))
      if (group === undefined) groups.set(identityOf(one.problem), [one])
      else group.push(one)
    }
    return [...groups.values()].map((group) => {
      const hosts = [...new Set(group.map(({ host }) => host))]
      const [{ problem, place }] = group
      return { ...reportStoreProblem(problem, hosts, missingNames(group)), ...place }
    })
  })
}

type Known = {
  readonly cluster: ResolvedCluster
  readonly readings: SecretReadings
  /** The stores of this machine by absolute path. */
  readonly files: ReadonlyMap<string, RegularFile>
  readonly now: Date
}

const byOthers = 0o004

const unreadableText = (hosts: string, { store, reason }: { store: StoreKind; reason: string }) => ({
  message: `The ${store} of ${hosts} ${reason}.`,
  why: 'muster opens it on this machine to check its contents and send it to the host.',
  fix: 'Use a PKCS#12 or JKS file that you can read; ls -l shows its owner and permissions.',
})

const unreadable = {
  keystore: storeFinding('keystore-unreadable', unreadableText),
  truststore: storeFinding('truststore-unreadable', unreadableText),
}

const keystoreWorldReadable = storeFinding('keystore-world-readable', (hosts) => ({
  message: `Every user of this machine can read the keystore of ${hosts}.`,
  why: 'Anyone with a copy can try passwords on it without limit and get the private key.',
  fix: 'Remove the permission: chmod o-r FILE',
}))

/** Returns problems of the file itself. A missing file has its finding already. */
function fileProblems(kind: StoreKind, use: StoreUse | undefined): readonly StoreProblem[] {
  if (use === undefined) return []
  const { file } = use
  if (!file.ok) {
    // A stranger may not have it looked at, which is only noted.
    return file.problem === 'missing' || file.problem === 'outside'
      ? []
      : [unreadable[kind]({ store: kind, reason: file.reason })]
  }
  // Everybody may read a truststore: it holds nothing secret. A group may well be the operators'.
  const open = kind === 'keystore' && (file.mode & byOthers) !== 0
  return open ? [keystoreWorldReadable({})] : []
}

/** Opens a store once for each password: with a thousand hosts that share one it would take minutes. */
function cachedReader(): typeof readStore {
  const done = new Map<Buffer, { readonly password: Secret; readonly read: ReadStore }[]>()
  return (bytes, password) => {
    const before = done.get(bytes) ?? []
    const known = before.find((one) => one.password.equals(password))
    if (known !== undefined) return known.read
    const read = readStore(bytes, password)
    done.set(bytes, [...before, { password, read }])
    return read
  }
}

function checkHost(host: ResolvedHost, known: Known, read: typeof readStore): readonly StoreFound[] {
  const keystore = storeUse(host, 'keystore', known)
  const truststore = storeUse(host, 'truststore', known)
  if (keystore === undefined && truststore === undefined) return []
  const alias = host.option(options.alias)
  const { problems } = checkStores({
    keystore: lockedStore(keystore),
    truststore: lockedStore(truststore),
    alias: alias.value ?? '',
    names: [...new Set([host.name, host.address])],
    now: known.now,
    warningDays: host.option(options.warningDays).value ?? 0,
    read,
  })
  const all = [...fileProblems('keystore', keystore), ...fileProblems('truststore', truststore), ...problems]
  return all.flatMap((problem) => {
    const place = placeOfProblem(problem, { keystore, truststore, alias: alias.given })
    return place === undefined ? [] : [{ problem, place, host: host.name }]
  })
}

/**
 * Opens the stores of every host and checks them for the host's name and address in the file; install knows more names,
 * from the host itself. Skips a store without a known password.
 */
export function storeFindings(known: Known): readonly Diagnostic[] {
  const read = cachedReader()
  return [
    ...mergeFindings(known.cluster.hosts.flatMap((host) => checkHost(host, known, read))),
    ...skippedStores(known),
  ]
}

/** Notes once for each place the stores that were not read because the file may be a stranger's. */
function skippedStores(known: Known): readonly Diagnostic[] {
  const found = known.cluster.hosts.flatMap((host) =>
    (['keystore', 'truststore'] as const).flatMap((kind) => {
      const use = storeUse(host, kind, known)
      if (use === undefined || use.file.ok || use.file.problem !== 'outside') return []
      const { span, spelling } = use.path
      const facts = { name: spelling, reason: `the ${kind} ${use.file.reason}`, store: kind, fix: trustFix }
      return [{ span, finding: secretNotResolved(facts, { span }) }]
    }),
  )
  return groupBySpan(found).map(([{ finding }]) => finding)
}
