import type { Diagnostic } from '../../diagnostics/diagnostic.ts'
import { finding } from '../../diagnostics/finding.ts'
import type { ResolvedCluster, ResolvedHost } from '../resolve/resolved.ts'

const duplicateHost = finding('duplicate-host', (facts: { host: string; other: string }) => ({
  message: `${facts.host} and ${facts.other} are the same host name.`,
  why: 'Host names are not case-sensitive.',
  fix: 'Remove one of them, or give it another name.',
}))

/** Finds hosts whose names differ only in case. */
export function duplicateHosts({ hosts }: ResolvedCluster): readonly Diagnostic[] {
  const first = new Map<string, ResolvedHost>()
  return hosts.flatMap((host) => {
    const key = host.name.toLowerCase()
    const other = first.get(key)
    if (other === undefined) {
      first.set(key, host)
      return []
    }
    const related = [{ message: `${other.name} is here.`, span: other.span }]
    const facts = { host: host.name, other: other.name }
    return [duplicateHost(facts, { span: host.span, related })]
  })
}
