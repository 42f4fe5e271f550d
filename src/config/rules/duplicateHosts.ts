import { diagnose } from '../../diagnostics/diagnose.ts'
import type { Diagnostic } from '../../diagnostics/diagnostic.ts'
import type { ResolvedCluster, ResolvedHost } from '../resolve/resolved.ts'

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
    return [diagnose('duplicate-host', facts, { span: host.span, related })]
  })
}
