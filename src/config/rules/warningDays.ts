import { diagnose } from '../../diagnostics/diagnose.ts'
import type { Diagnostic } from '../../diagnostics/diagnostic.ts'
import { groupBySpan, type ResolvedCluster } from '../resolve/resolved.ts'
import { options } from '../settings/options.ts'

/** Finds a warning period that is at least as long as the certificate's life. */
export function warningDays({ hosts }: ResolvedCluster): readonly Diagnostic[] {
  const items = hosts.flatMap((host) => {
    const warning = host.option(options.warningDays)
    const lifetime = host.option(options.keyLifetime)
    const given = warning.given ?? lifetime.given
    if (warning.value === undefined || lifetime.value === undefined || given === undefined) return []
    if (warning.value < lifetime.value) return []
    return [{ span: given.span, warning: warning.value, lifetime: lifetime.value }]
  })
  return groupBySpan(items).map(([{ span, warning, lifetime }]) =>
    diagnose('warning-days-too-long', { warning, lifetime }, { span }),
  )
}
