import { checkStores } from '../../certificates/checkStores.ts'
import { type StoreProblem, storeProblem } from '../../certificates/storeProblem.ts'
import { type ReadStore, readStore } from '../../certificates/stores/readStore.ts'
import type { RegularFile } from '../../cli/readRegularFile.ts'
import { bySpan, type ResolvedCluster, type ResolvedHost } from '../../config/resolve/resolved.ts'
import { options } from '../../config/settings/options.ts'
import { diagnose } from '../../diagnostics/diagnose.ts'
import type { Diagnostic } from '../../diagnostics/diagnostic.ts'
import { trustFix } from '../../secrets/policy.ts'
import type { Secret } from '../../secrets/secret.ts'
import type { SecretReadings } from './readSecrets.ts'
import { storePlace } from './storePlace.ts'
import { lockedStore, type StoreKind, type StoreUse, storeUse } from './storeUse.ts'
import { type StoreFound, toldOnce } from './toldOnce.ts'

type Known = {
  readonly cluster: ResolvedCluster
  readonly readings: SecretReadings
  /** The stores of this machine by absolute path. */
  readonly files: ReadonlyMap<string, RegularFile>
  readonly now: Date
}

const byOthers = 0o004

/** What is wrong with the file itself. One that is not there has its finding already. */
function fileProblems(kind: StoreKind, use: StoreUse | undefined): readonly StoreProblem[] {
  if (use === undefined) return []
  const { file } = use
  if (!file.ok) {
    // A stranger may not have it looked at, which is only noted.
    return file.problem === 'missing' || file.problem === 'outside'
      ? []
      : [storeProblem(`${kind}-unreadable`, { reason: file.reason })]
  }
  // Everybody may read a truststore: it holds nothing secret. A group may well be the operators'.
  const open = kind === 'keystore' && (file.mode & byOthers) !== 0
  return open ? [storeProblem('keystore-world-readable', {})] : []
}

/** Opens a store once for each password: with a thousand hosts that share one it would take minutes. */
function rememberingReader(): typeof readStore {
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

function judgeHost(host: ResolvedHost, known: Known, read: typeof readStore): readonly StoreFound[] {
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
    const place = storePlace(problem, { keystore, truststore, alias: alias.given })
    return place === undefined ? [] : [{ problem, place, host: host.name }]
  })
}

/**
 * Opens the stores of every host and judges what is in them for the host's name and address as the file gives
 * them; install knows more names, from the host itself. One whose password is not known stays closed.
 */
export function storeFindings(known: Known): readonly Diagnostic[] {
  const read = rememberingReader()
  return [
    ...toldOnce(known.cluster.hosts.flatMap((host) => judgeHost(host, known, read))),
    ...storesLeftAlone(known),
  ]
}

/** Notes once for each place the stores that were not read because the file may be a stranger's. */
function storesLeftAlone(known: Known): readonly Diagnostic[] {
  const found = known.cluster.hosts.flatMap((host) =>
    (['keystore', 'truststore'] as const).flatMap((kind) => {
      const use = storeUse(host, kind, known)
      if (use === undefined || use.file.ok || use.file.problem !== 'outside') return []
      const { span, spelling } = use.path
      const facts = { name: spelling, reason: `the ${kind} ${use.file.reason}`, opens: kind, fix: trustFix }
      return [{ span, finding: diagnose('secret-not-resolved', facts, { span }) }]
    }),
  )
  return bySpan(found).map(([{ finding }]) => finding)
}
