import { diagnose } from '../../diagnostics/diagnose.ts'
import type { Diagnostic, Span } from '../../diagnostics/diagnostic.ts'
import { absolutePath, isOnHost } from '../paths.ts'
import type { ResolvedCluster } from '../resolve/resolved.ts'
import { options } from '../settings/options.ts'

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
    .map((use) => diagnose('shared-keystore', { hosts: use.hosts }, { span: use.span }))
}
