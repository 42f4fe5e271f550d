import { createPrivateKey, type X509Certificate } from 'node:crypto'
import { listOf } from '../base/words.ts'
import type { Secret } from '../secrets/secret.ts'
import { chainOf, isIssuedBy } from './chain.ts'
import { nameProblem, timeProblem } from './leafProblems.ts'
import { certificatePem, certificatesOf } from './pem.ts'
import { isWarning, type StoreProblem, storeFinding } from './storeProblem.ts'
import { readStore } from './stores/readStore.ts'
import type { Store, StoreKey } from './stores/store.ts'

const trustedOf = (truststore: Store): readonly X509Certificate[] =>
  truststore.trusted.flatMap((one) => certificatesOf(one.certificate) ?? [])

const trustsTruststoreOnly =
  'Components call each other over TLS and trust only the certificates in the truststore.'

const truststoreEmpty = storeFinding('truststore-empty', (hosts, { detail }: { detail: string }) => ({
  message: `The truststore of ${hosts} has no trusted certificate: ${detail}.`,
  why: trustsTruststoreOnly,
  fix: 'Import the authority: keytool -importcert -file authority.crt -alias authority -keystore FILE',
}))

/** Returns the finding for a truststore without certificates. */
function emptyProblem(truststore: Store): StoreProblem | undefined {
  if (trustedOf(truststore).length > 0) return undefined
  const others = truststore.unused.length + truststore.keys.length
  const detail = others === 0 ? 'it is empty' : 'its entries are not marked as trusted, so Java ignores them'
  return truststoreEmpty({ detail })
}

const truststoreDoesNotTrust = storeFinding(
  'truststore-does-not-trust',
  (hosts, { subject, issuer }: { subject: string; issuer: string }) => ({
    message: `The truststore of ${hosts} does not trust the keystore: it has no valid issuer of ${subject}.`,
    why: trustsTruststoreOnly,
    fix: `Import the certificate of ${issuer}: keytool -importcert -file authority.crt -alias authority -keystore FILE`,
  }),
)

/** Returns the finding for a truststore whose certificates do not verify the chain. */
function trustProblem(options: {
  readonly truststore: Store
  readonly chain: readonly X509Certificate[]
  readonly now: Date
}): StoreProblem | undefined {
  const { truststore, chain, now } = options
  const current = trustedOf(truststore).filter((one) => Date.parse(one.validTo) > now.getTime())
  const leads = current.some((root) =>
    chain.some((one) => one.fingerprint256 === root.fingerprint256 || isIssuedBy(one, root)),
  )
  if (leads) return undefined
  const last = chain.at(-1)
  const facts = { subject: oneLine(last?.subject), issuer: oneLine(last?.issuer) }
  return truststoreDoesNotTrust(facts)
}

/** Writes a distinguished name on one line. */
const oneLine = (name: string | undefined): string => (name ?? '').split('\n').join(', ')

/** Content and password of a store file. */
export type StoreFile = { readonly bytes: Buffer; readonly password: Secret }

/** The server key with its certificate and issuers. */
type KeyEntry = {
  readonly key: Secret
  readonly chain: readonly [X509Certificate, ...X509Certificate[]]
}

type CheckedStores = {
  readonly entry?: KeyEntry
  readonly truststore?: Store
  /** Findings of both stores, with warnings. */
  readonly problems: readonly StoreProblem[]
}

/**
 * Opens and checks the given stores of one host (PKCS#12 or JKS); returns all findings at once. The
 * certificate must cover one of `names`; a warning lists the others.
 */
export function checkStores(options: {
  readonly keystore?: StoreFile | undefined
  readonly truststore?: StoreFile | undefined
  readonly alias: string
  readonly names: readonly string[]
  readonly now: Date
  readonly warningDays: number
  /** Replaceable for callers that open a store more than once. */
  readonly read?: typeof readStore
}): CheckedStores {
  const { keystore, truststore, now, read = readStore } = options
  const problems: StoreProblem[] = []
  const kept = <T extends object>(found: T | StoreProblem | undefined): T | undefined => {
    if (found === undefined || !isProblem(found)) return found
    problems.push(found)
    return undefined
  }
  const entry = kept(keystore && keyEntry(read(keystore.bytes, keystore.password), options.alias))
  if (entry !== undefined) {
    kept(timeProblem({ ...options, leaf: entry.chain[0] }))
    kept(nameProblem(entry.chain[0], options.names))
  }
  const trusted = kept(truststore && trustStore(read(truststore.bytes, truststore.password)))
  if (trusted !== undefined && entry !== undefined) {
    kept(trustProblem({ truststore: trusted, chain: entry.chain, now }))
  }
  return { ...(entry && { entry }), ...(trusted && { truststore: trusted }), problems }
}

const isProblem = (found: object): found is StoreProblem => 'code' in found

type Kind = 'keystore' | 'truststore'

/** A store that cannot be opened; `detail` comes from `readStore`. */
type Unreadable = { readonly store: Kind; readonly detail: string }

const wrongPassword = (hosts: string, { store, detail }: Unreadable) => ({
  message: `The password does not open the ${store} of ${hosts}: ${detail}.`,
  why: `Neither muster nor Java can read a ${store} without its password.`,
  fix: `Check java-${store}-password; keytool -list -keystore FILE asks for the password and checks it.`,
})

const keyPassword = (hosts: string, { store, detail }: Unreadable) => ({
  message: `The password opens the ${store} of ${hosts}, but not a key in it: ${detail}.`,
  why: 'Each store has one password option, so the key must have the same password.',
  fix: 'Set the password of the key to that of the store: keytool -keypasswd -alias ALIAS -keystore FILE',
})

const createFix = {
  keystore:
    'Create one from PEM files: openssl pkcs12 -export -in chain.pem -inkey key.pem -name tls -out keystore.p12',
  truststore:
    'Create one from a PEM certificate: keytool -importcert -file authority.crt -alias authority -keystore truststore.p12 -storetype pkcs12',
} as const

const notAStore = (hosts: string, { store, detail }: Unreadable) => ({
  message: `The ${store} of ${hosts} is neither PKCS#12 nor JKS: ${detail}.`,
  why: 'The option takes a Java keystore file only.',
  fix: createFix[store],
})

const unsupported = (hosts: string, { store, detail }: Unreadable) => ({
  message: `The ${store} of ${hosts} uses something that muster cannot read: ${detail}.`,
  why: 'muster reads JKS, and PKCS#12 with AES, triple DES or RC2.',
  fix: `Convert it: keytool -importkeystore -srckeystore OLD -destkeystore ${store}.p12 -deststoretype pkcs12`,
})

const unreadable = {
  'keystore-wrong-password': storeFinding('keystore-wrong-password', wrongPassword),
  'keystore-key-password': storeFinding('keystore-key-password', keyPassword),
  'keystore-not-a-store': storeFinding('keystore-not-a-store', notAStore),
  'keystore-unsupported': storeFinding('keystore-unsupported', unsupported),
  'truststore-wrong-password': storeFinding('truststore-wrong-password', wrongPassword),
  'truststore-key-password': storeFinding('truststore-key-password', keyPassword),
  'truststore-not-a-store': storeFinding('truststore-not-a-store', notAStore),
  'truststore-unsupported': storeFinding('truststore-unsupported', unsupported),
} as const

const keystoreNoCertificate = storeFinding('keystore-no-certificate', (hosts, facts: { alias: string }) => ({
  message: `The private key ${facts.alias} in the keystore of ${hosts} has no certificate.`,
  why: 'A server needs the certificate that belongs to its key.',
  fix: 'Put both into the keystore: openssl pkcs12 -export -in chain.pem -inkey key.pem -name tls -out keystore.p12',
}))

const keystoreKeyMismatch = storeFinding('keystore-key-mismatch', (hosts, facts: { alias: string }) => ({
  message: `The private key ${facts.alias} in the keystore of ${hosts} does not match its certificate.`,
  why: 'A TLS handshake fails if key and certificate do not match.',
  fix: 'Create the keystore again with the key that the certificate was requested for.',
}))

function keyEntry(read: ReturnType<typeof readStore>, alias: string): KeyEntry | StoreProblem {
  if (!read.ok) return unreadable[`keystore-${read.reason}`]({ store: 'keystore', detail: read.detail })
  const entry = entryNamed(read.store, alias)
  if (isProblem(entry)) return entry
  const [leaf, ...issuers] = entry.chain.flatMap((pem) => certificatesOf(pem) ?? [])
  if (leaf === undefined) return keystoreNoCertificate({ alias: entry.alias })
  if (!leaf.checkPrivateKey(createPrivateKey(entry.key.reveal()))) {
    return keystoreKeyMismatch({ alias: entry.alias })
  }
  // A JKS store keeps any list in any order.
  return { key: entry.key, chain: [leaf, ...chainOf(leaf, issuers).slice(1)] }
}

const keystoreNoPrivateKey = storeFinding('keystore-no-private-key', (hosts) => ({
  message: `The keystore of ${hosts} has certificates but no private key.`,
  why: 'A server identifies itself with the private key; a truststore has none.',
  fix: 'Set java-tls-keystore-path to the keystore and java-truststore-path to the truststore.',
}))

const keystoreAliasAbsent = storeFinding(
  'keystore-alias-absent',
  (hosts, { alias, has }: { alias: string; has: readonly [string, ...string[]] }) => ({
    message: `The keystore of ${hosts} has no private key named ${alias}; it has ${listOf(has)}.`,
    why: 'java-tls-alias says which key the servers use.',
    fix: `Set java-tls-alias: ${has[0]}`,
  }),
)

function entryNamed(store: Store, alias: string): StoreKey | StoreProblem {
  const [first, ...others] = store.keys
  if (first === undefined) return keystoreNoPrivateKey({})
  const found = store.keys.find((key) => key.alias.toLowerCase() === alias.toLowerCase())
  if (found !== undefined) return found
  const has = [first.alias, ...others.map((key) => key.alias)] as const
  return keystoreAliasAbsent({ alias, has })
}

function trustStore(read: ReturnType<typeof readStore>): Store | StoreProblem {
  if (!read.ok) return unreadable[`truststore-${read.reason}`]({ store: 'truststore', detail: read.detail })
  return emptyProblem(read.store) ?? read.store
}

export type OpenedStores =
  | {
      readonly ok: true
      /** PKCS#8 PEM. */
      readonly key: Secret
      /** The leaf, then its issuers as far as the keystore has them; PEM. */
      readonly chain: string
      /** Authorities (PEM) for clients: those of the truststore, else the last certificate of the chain. */
      readonly authorities: readonly string[]
      readonly warnings: readonly StoreProblem[]
    }
  /** All findings, with warnings. */
  | { readonly ok: false; readonly problems: readonly StoreProblem[] }

/**
 * Opens and checks an operator's own stores (PKCS#12 or JKS) for one host; returns all findings at once.
 * `names` are the host's names and addresses without localhost: the certificate must cover one; a warning
 * lists the others.
 */
export function openStores(options: {
  readonly keystore: Buffer
  readonly keystorePassword: Secret
  readonly truststore?: Buffer
  /** Absent: that of the keystore. */
  readonly truststorePassword?: Secret
  readonly alias: string
  readonly names: readonly string[]
  readonly now: Date
  readonly warningDays: number
}): OpenedStores {
  const { keystore, keystorePassword, truststore, truststorePassword = keystorePassword } = options
  const { entry, problems, ...checked } = checkStores({
    ...options,
    keystore: { bytes: keystore, password: keystorePassword },
    truststore: truststore && { bytes: truststore, password: truststorePassword },
  })
  if (entry === undefined || !problems.every(isWarning)) return { ok: false, problems }
  const trusted = checked.truststore?.trusted ?? []
  const last = entry.chain.at(-1) ?? entry.chain[0]
  return {
    ok: true,
    key: entry.key,
    chain: entry.chain.map((one) => certificatePem(one.raw)).join(''),
    authorities: trusted.length > 0 ? trusted.map((one) => one.certificate) : [certificatePem(last.raw)],
    warnings: problems,
  }
}
