import type { Diagnostic, Span } from '../../diagnostics/diagnostic.ts'
import { finding } from '../../diagnostics/finding.ts'
import { absolutePath, isOnHost } from '../paths.ts'
import { groupBySpan, type ResolvedCluster, type ResolvedHost } from '../resolve/resolved.ts'
import { options } from '../settings/options.ts'

const kinds = [
  { path: options.keystorePath, password: options.keystorePassword, other: options.truststorePath },
  { path: options.truststorePath, password: options.truststorePassword, other: options.keystorePath },
] as const

type Found = { readonly span: Span; readonly finding: Diagnostic }

const oneStoreOnly = finding('one-store-only', (facts: { given: string; missing: string }) => ({
  message: `${facts.given} is set without ${facts.missing}.`,
  why: 'Provide both stores or none: a generated store would not match your own.',
  fix: `Add ${facts.missing}, or remove ${facts.given}.`,
}))

const storePasswordMissing = finding(
  'store-password-missing',
  (facts: { path: string; password: string }) => ({
    message: `${facts.path} is set without ${facts.password}.`,
    why: 'An existing store cannot be opened without its password.',
    fix: `Add, for example: ${facts.password}: !env STORE_PASS`,
  }),
)

const storePathForm = finding('store-path-form', (facts: { name: string }) => ({
  message: `The path after host: in ${facts.name} is not absolute.`,
  why: 'host:/path is a file on the host itself, so the path cannot be relative.',
  fix: 'Write, for example: host:/etc/pki/muster/keystore.p12',
}))

const storeNotFound = finding('store-not-found', (facts: { name: string; path: string }) => ({
  message: `${facts.name} names ${facts.path}, which does not exist.`,
  why: 'Hosts cannot serve TLS without it.',
  fix: 'Correct the path (it is relative to this file), or remove both store options to have them generated.',
}))

function checkStore(host: ResolvedHost, kind: (typeof kinds)[number], cluster: ResolvedCluster): Found[] {
  const { value, given } = host.option(kind.path)
  if (given === undefined) return []
  const { span, keySpan } = given
  const name = kind.path.name
  const found: Found[] = []
  if (host.option(kind.other).given === undefined) {
    const facts = { given: name, missing: kind.other.name }
    found.push({ span: keySpan, finding: oneStoreOnly(facts, { span: keySpan }) })
  }
  if (host.option(kind.password).given === undefined) {
    const facts = { path: name, password: kind.password.name }
    found.push({ span: keySpan, finding: storePasswordMissing(facts, { span: keySpan }) })
  }
  if (value === undefined) return found
  if (isOnHost(value)) {
    if (/^host:\/./.test(value)) return found
    return [...found, { span, finding: storePathForm({ name }, { span }) }]
  }
  const path = absolutePath(value, { span, paths: cluster.paths })
  if (cluster.exists === undefined || cluster.exists(path)) return found
  return [...found, { span, finding: storeNotFound({ name, path: value }, { span }) }]
}

/**
 * Checks the operator's own stores: both given, with passwords, and existing. Their contents are checked
 * elsewhere.
 */
export const stores = (cluster: ResolvedCluster): readonly Diagnostic[] => {
  const found = cluster.hosts.flatMap((host) => kinds.flatMap((kind) => checkStore(host, kind, cluster)))
  return groupBySpan(found).flatMap((group) => [
    ...new Map(group.map(({ finding }) => [finding.code, finding])).values(),
  ])
}
