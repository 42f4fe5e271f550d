import type { DeploymentEvent } from '../../deployment/events.ts'

/** What a wave is called: `canary`, `wave 2 of 5`. */
export const waveTitle = ({
  canary,
  wave,
  of,
}: Extract<DeploymentEvent, { type: 'wave-started' }>): string =>
  canary ? 'canary' : `wave ${wave} of ${of}`
