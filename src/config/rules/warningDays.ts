import type { Diagnostic } from '../../diagnostics/diagnostic.ts'
import { finding } from '../../diagnostics/finding.ts'
import { groupBySpan, type ResolvedCluster } from '../resolve/resolved.ts'
import { options } from '../settings/options.ts'

const warningDaysTooLong = finding(
  'warning-days-too-long',
  (facts: { warning: number; lifetime: number }) => ({
    message: `tls-warning-days (${facts.warning}) is not below java-tls-key-lifetime (${facts.lifetime}).`,
    why: 'Every certificate would be reported as expiring from its first day.',
    fix: 'Set fewer days, such as 30.',
  }),
)

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
    warningDaysTooLong({ warning, lifetime }, { span }),
  )
}
