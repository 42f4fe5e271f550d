import { extname } from 'node:path'
import { shortListOf } from '../../base/words.ts'
import { openStores } from '../../certificates/checkStores.ts'
import { isWarning, reportStoreProblem, type StoreProblem } from '../../certificates/storeProblem.ts'
import type { HostConfig } from '../../config/model.ts'
import { Secret } from '../../secrets/secret.ts'
import type { HostFacts } from '../facts/hostFacts.ts'
import { StepError } from '../stepError.ts'
import { certificateNamesOf } from './certificateNames.ts'
import type { ResolvedStores, StorePasswords } from './generatedStores.ts'

/** Note about the stores of one host; equal notes of several hosts are merged later. */
export type TlsNote = { readonly host: string } & (
  | {
      /** Reason to replace the present certificate; empty if there is none. */
      readonly issued: string
    }
  | { readonly warning: StoreProblem }
)

/** Maximum number of hosts that one note names. */
const maxHostsNamed = 8

/** Merges equal notes; each names its hosts. */
export function tlsNotes(notes: readonly TlsNote[]): readonly string[] {
  const groups = new Map<string, readonly TlsNote[]>()
  for (const note of notes) {
    const { host: _, ...about } = note
    const key = JSON.stringify(about)
    groups.set(key, [...(groups.get(key) ?? []), note])
  }
  return [...groups.values()].flatMap((same) => {
    const [note] = same
    if (note === undefined) return []
    const hosts = same.map(({ host }) => host)
    if ('warning' in note) {
      const { message, fix } = reportStoreProblem(note.warning, hosts)
      return `${message} ${fix}`
    }
    const one = hosts.length === 1
    const what = one ? 'issue a certificate for' : 'issue certificates for'
    const why = note.issued === '' ? '' : `: ${one ? 'its present one' : 'each present one'} ${note.issued}`
    return `${what} ${shortListOf(hosts, maxHostsNamed)}${why}`
  })
}

/** The user's own stores, as far as they could be read on this machine. */
export type LoadedStores = {
  /** Contents by path. */
  readonly files: ReadonlyMap<string, Buffer>
  /** By host; a password that could not be read is missing and explained in `failures`. */
  readonly passwords: ReadonlyMap<string, StorePasswords>
  readonly failures: ReadonlyMap<string, readonly { readonly message: string; readonly fix: string }[]>
}

/**
 * Opens the user's own stores on this machine, checks them for the host, and returns them unchanged. Throws a
 * `StepError` with all problems.
 */
export function userProvidedStores(options: {
  readonly host: HostConfig
  readonly facts: HostFacts
  readonly given: StorePasswords
  /** Contents of the user's files by path. */
  readonly files: ReadonlyMap<string, Buffer>
  readonly now: Date
}): { readonly stores: ResolvedStores; readonly warnings: readonly StoreProblem[] } {
  const { host, given, now } = options
  const { keystorePath, truststorePath, alias, warningDays } = host.tls
  const keystore = contentOf(options, keystorePath, 'keystore')
  const truststore = contentOf(options, truststorePath, 'truststore')
  const opened = openStores({
    keystore,
    keystorePassword: given.keystore ?? new Secret(''),
    truststore,
    ...(given.truststore === undefined ? {} : { truststorePassword: given.truststore }),
    alias,
    names: certificateNamesOf(host, options.facts).required,
    now,
    warningDays,
  })
  const describe = (problem: StoreProblem) => reportStoreProblem(problem, [host.name])
  if (!opened.ok) {
    // Warnings would look like a reason here.
    const errors = opened.problems.filter((problem) => !isWarning(problem)).map(describe)
    throw new StepError({
      host: host.name,
      code: errors[0]?.code ?? 'keystore-unfit',
      message: `${errors.map(({ message, why }) => `${message} ${why}`).join(' ')} The stores are ${keystorePath} and ${truststorePath}.`,
      fix: errors.map(({ fix }) => fix).join('\n'),
    })
  }
  const files = [
    [keystorePath, `keystore${extname(keystorePath ?? '')}`, keystore] as const,
    [truststorePath, `truststore${extname(truststorePath ?? '')}`, truststore] as const,
  ].filter(([path]) => !path?.startsWith('host:'))
  return {
    stores: {
      files: new Map(files.map(([, name, content]) => [name, content])),
      key: opened.key,
      chain: opened.chain,
      authorities: opened.authorities,
      passwords: given,
    },
    warnings: opened.warnings,
  }
}

function contentOf(
  options: {
    readonly host: HostConfig
    readonly facts: HostFacts
    readonly files: ReadonlyMap<string, Buffer>
  },
  path: string | undefined,
  what: 'keystore' | 'truststore',
): Buffer {
  const { host, facts, files } = options
  const onHost = path?.startsWith('host:') === true
  const content = onHost ? facts.hostStores.get(path.slice('host:'.length)) : files.get(path ?? '')
  if (content !== undefined) return content
  const option = what === 'keystore' ? 'java-tls-keystore-path' : 'java-truststore-path'
  throw new StepError({
    host: host.name,
    code: `${what}-missing`,
    message: `the ${what} ${path ?? ''} cannot be read`,
    fix: `Correct ${option}, or leave out both store paths and let muster make the stores.`,
  })
}
