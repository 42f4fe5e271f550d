import type { DeploymentEvent } from '../../deployment/events.ts'
import { waveTitle } from './waveTitle.ts'

/** An event as one line of a log, or as none; failures are told by `failuresText`. */
export function plainLine(event: DeploymentEvent): string | undefined {
  switch (event.type) {
    case 'wave-started':
      // One wave is no order worth a line.
      return event.of === 1 ? undefined : `${waveTitle(event)}: ${event.hosts.join(', ')}\n`
    case 'step-done':
      return `${event.host}: ${event.title} (${event.seconds.toFixed(1)} s)\n`
    case 'step-undone':
      return `${event.host}: undone: ${event.title} (${event.seconds.toFixed(1)} s)\n`
    case 'stopping':
      return 'Stopping: each host ends the step it is at. Ctrl-C again stops at once.\n'
    case 'notice':
      return `${event.message}\n`
    default:
      return undefined
  }
}
