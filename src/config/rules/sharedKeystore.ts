import { shortListOf } from '../../base/words.ts'
import type { Diagnostic, Span } from '../../diagnostics/diagnostic.ts'
import { finding } from '../../diagnostics/finding.ts'
import { absolutePath, isOnHost } from '../paths.ts'
import type { ResolvedCluster } from '../resolve/resolved.ts'
import { options } from '../settings/options.ts'

const sharedKeystoreFinding = finding('shared-keystore', (facts: { hosts: readonly string[] }) => ({
  message: `One keystore is used for ${shortListOf(facts.hosts)}.`,
  why: 'If the key of one host leaks, all hosts are affected. The certificate must have the names of all of them.',
  fix: 'Give each host its own keystore under its options, or remove the paths to have one generated for each.',
}))

/** Finds a keystore of this machine that several hosts use. */
export function sharedKeystore({ hosts, paths }: ResolvedCluster): readonly Diagnostic[] {
  const users = new Map<string, { span: Span; hosts: string[] }>()
  for (const host of hosts) {
    const { value, given } = host.option(options.keystorePath)
    if (value === undefined || given === undefined || isOnHost(value) || host.components.length === 0)
      continue
    const path = absolutePath(value, { span: given.span, paths })
    const earlier = users.get(path)
    users.set(path, { span: earlier?.span ?? given.span, hosts: [...(earlier?.hosts ?? []), host.name] })
  }
  return [...users.values()]
    .filter((use) => use.hosts.length > 1)
    .map((use) => sharedKeystoreFinding({ hosts: use.hosts }, { span: use.span }))
}
