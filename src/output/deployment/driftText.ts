import { counted } from '../../base/words.ts'
import type { DriftOfHost } from '../../deployment/checkDrift.ts'

/** The last line of a report without drift; undefined where findings say what differs. */
export function driftSummary(options: {
  readonly good: boolean
  readonly silenced: number
  readonly cluster: string
  readonly hosts: readonly DriftOfHost[]
}): string | undefined {
  const { good, silenced, cluster, hosts } = options
  if (!good) return undefined
  const quiet = silenced === 0 ? '' : ` (${silenced} silenced)`
  const checks = hosts.reduce((sum, { results }) => sum + results.length, 0)
  return `${cluster} has no drift: ${counted(hosts.length, 'host')}, ${counted(checks, 'check')}, no changes to make${quiet}.`
}

/** Members of the report as JSON. */
export const driftJson = (
  cluster: string,
  hosts: readonly DriftOfHost[],
): Readonly<Record<string, unknown>> => ({
  cluster,
  hosts: hosts.map(({ host, address, state, isInstalled, changes }) => ({
    host,
    address,
    state,
    installed: isInstalled,
    ...(changes === undefined ? {} : { changes }),
  })),
})
