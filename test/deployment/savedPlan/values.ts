import type { ClusterConfig } from '../../../src/config/model.ts'
import { preview } from '../../../src/deployment/hostPlan.ts'
import { installPlan } from '../../../src/deployment/plans/installPlan.ts'
import type { SavedPlan } from '../../../src/deployment/savedPlan/savedPlan.ts'
import { savedPlanOf } from '../../../src/deployment/savedPlan/savePlan.ts'
import { emptyState } from '../../../src/deployment/state/clusterState.ts'
import type { Target } from '../../../src/deployment/target.ts'

/** The plan for one target, as it would be kept. */
export function saved(
  target: Target,
  changes: Partial<Parameters<typeof savedPlanOf>[0]> & { readonly facts?: Target['facts'] } = {},
): SavedPlan {
  const { facts = target.facts, ...others } = changes
  const now = { ...target, facts }
  const steps = preview(installPlan({ target: now, packed: () => undefined }), facts)
  const { name: host, address } = target.host
  return savedPlanOf({
    config: { ...configOf(target), excluded: [] },
    planned: [{ target: now, plan: { host, address, steps } }],
    state: emptyState,
    marks: new Map([[host, { 'rest-api-admin-pass': 'a3f' }]]),
    version: '1.2.3',
    now: new Date('2026-03-01T12:00:00Z'),
    ...others,
  })
}

export const configOf = (target: Target): ClusterConfig => ({
  cluster: target.cluster,
  directory: '/operator',
  services: [],
  hosts: [target.host],
})
