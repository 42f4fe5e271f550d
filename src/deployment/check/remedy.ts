import { mustRun } from '../script.ts'
import { change, type Step } from '../step.ts'
import type { HostChecks } from './judgeHosts.ts'

/**
 * What `check --fix` does by itself. It stops and opens nothing, changes nothing that another program relies on
 * (clock, firewall, names), and takes away only what is muster's own. May be repeated.
 */
export type Remedy = {
  /** What it does, as a step is told: `remove 2 leftovers of interrupted runs`. */
  readonly summary: string
  /** POSIX sh, run as the login that the check looked with. */
  readonly script: string
}

/** What can be mended on a host, as the steps of a run. */
export const remediesOf = ({ results }: HostChecks): readonly Step[] =>
  results.flatMap((found): Step[] =>
    found.result === 'ok' || found.remedy === undefined ? [] : [stepOf(found.check, found.remedy)],
  )

const stepOf = (check: string, { summary, script }: Remedy): Step => ({
  id: `fix-${check}`,
  title: summary,
  phase: 'commit',
  check: () => change(summary),
  apply: async (transport) => {
    await mustRun(transport, { doing: summary, fix: 'Do by hand what `muster check` says.', script })
  },
})
