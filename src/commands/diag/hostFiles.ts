import type { HostReport } from '../../deployment/diag/hostReport.ts'
import type { HostResult } from '../../deployment/eachHost.ts'

/** What the archive has of a host, each file by its path and text; of one that was not reached, why. */
export function hostFiles(result: HostResult<HostReport>, index: number): [string, string][] {
  const folder = `hosts/${index + 1}-${encodeURIComponent(result.host.name).slice(0, 60)}`
  if ('failure' in result) {
    const { message, code, fix } = result.failure
    return [[`${folder}/not-reached.txt`, `${message} [${code}]\nfix: ${fix}\n`]]
  }
  const { facts, changes, calls } = result.result
  return [
    [`${folder}/facts.json`, facts],
    [`${folder}/changes.jsonl`, changes],
    [`${folder}/calls.jsonl`, calls],
  ]
}
