import { listOf } from '../../base/words.ts'
import type { HostPlan } from '../../deployment/hostPlan.ts'

/** How connectors with clients are restarted; undefined where none is. */
export function turnsText(plans: readonly HostPlan[]): string | undefined {
  const draining = plans.flatMap(({ host, steps }) => {
    const times = steps.flatMap(({ change }) => change.drains ?? [])
    return times.length === 0 ? [] : [{ host, seconds: Math.max(...times) / 1000 }]
  })
  if (draining.length === 0) return undefined
  const names = listOf(draining.map(({ host }) => host))
  const most = Math.max(...draining.map(({ seconds }) => seconds))
  return draining.length === 1
    ? `restart the connector of ${names}, whose clients may finish for ${most} s`
    : `restart the connectors one after another, whose clients may finish for ${most} s each: ${names}`
}
