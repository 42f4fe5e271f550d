import { diagnose } from '../../diagnostics/diagnose.ts'
import type { Diagnostic, Span } from '../../diagnostics/diagnostic.ts'
import { absolutePath, isOnHost } from '../paths.ts'
import { groupBySpan, type ResolvedCluster, type ResolvedHost } from '../resolve/resolved.ts'
import { options } from '../settings/options.ts'

const kinds = [
  { path: options.keystorePath, password: options.keystorePassword, other: options.truststorePath },
  { path: options.truststorePath, password: options.truststorePassword, other: options.keystorePath },
] as const

type Found = { readonly span: Span; readonly finding: Diagnostic }

function checkStore(host: ResolvedHost, kind: (typeof kinds)[number], cluster: ResolvedCluster): Found[] {
  const { value, given } = host.option(kind.path)
  if (given === undefined) return []
  const { span, keySpan } = given
  const name = kind.path.name
  const found: Found[] = []
  if (host.option(kind.other).given === undefined) {
    const facts = { given: name, missing: kind.other.name }
    found.push({ span: keySpan, finding: diagnose('one-store-only', facts, { span: keySpan }) })
  }
  if (host.option(kind.password).given === undefined) {
    const facts = { path: name, password: kind.password.name }
    found.push({ span: keySpan, finding: diagnose('store-password-missing', facts, { span: keySpan }) })
  }
  if (value === undefined) return found
  if (isOnHost(value)) {
    if (/^host:\/./.test(value)) return found
    return [...found, { span, finding: diagnose('store-path-form', { name }, { span }) }]
  }
  const path = absolutePath(value, { span, paths: cluster.paths })
  if (cluster.exists === undefined || cluster.exists(path)) return found
  return [...found, { span, finding: diagnose('store-not-found', { name, path: value }, { span }) }]
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
