import { diagnose } from '../../diagnostics/diagnose.ts'
import type { Diagnostic } from '../../diagnostics/diagnostic.ts'
import type { ResolvedCluster } from '../resolve/resolved.ts'

/** What is given for a setting that this version does not act on. */
export function inertOptions({ draft, sets }: ResolvedCluster): readonly Diagnostic[] {
  const groups = [
    draft.defaults,
    draft.ssh,
    ...[...draft.services.values()].map(({ options }) => options),
    ...[...draft.hosts.values()].flatMap(({ ssh, options }) => [ssh, options]),
    sets,
  ]
  return groups.flatMap((values) =>
    [...values.values()]
      .filter(({ setting }) => setting.inert)
      .map(({ spelling, keySpan }) =>
        diagnose('option-not-available', { name: spelling }, { span: keySpan }),
      ),
  )
}
