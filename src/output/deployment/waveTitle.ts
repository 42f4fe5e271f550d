import type { DeploymentEvent } from '../../deployment/events.ts'

/** Name of a wave, counted as the plan counts them: `wave 1 of 5 (canary)`, `wave 2 of 5`. */
export const waveTitle = ({ canary, wave, of }: Extract<DeploymentEvent, { type: 'wave-started' }>): string =>
  `wave ${wave} of ${of}${canary ? ' (canary)' : ''}`
