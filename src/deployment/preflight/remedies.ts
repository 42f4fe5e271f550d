import { runOrThrow } from '../runOrThrow.ts'
import { change, type Step } from '../step.ts'
import type { Remedy } from './checkContract.ts'
import type { HostChecks } from './checkHosts.ts'

/** Returns the steps of `check --fix` on a host. */
export const remedySteps = ({ results }: HostChecks): readonly Step[] =>
  results.flatMap((found): Step[] =>
    found.result === 'ok' || found.remedy === undefined ? [] : [stepOf(found.check, found.remedy)],
  )

const stepOf = (check: string, { summary, script }: Remedy): Step => ({
  id: `fix-${check}`,
  title: summary,
  phase: 'commit',
  check: () => change(summary),
  apply: async (transport) => {
    await runOrThrow(transport, { doing: summary, fix: 'Apply the fix of `muster check` by hand.', script })
  },
})
