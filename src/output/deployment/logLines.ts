import type { DeploymentEvent } from '../../deployment/events.ts'
import { waveTitle } from './progress.ts'

/** Writes an event as one line of a log, or undefined; `failuresText` writes the failures. */
export function plainLine(event: DeploymentEvent): string | undefined {
  switch (event.type) {
    case 'wave-started':
      // A single wave needs no line.
      return event.of === 1 ? undefined : `${waveTitle(event)}: ${event.hosts.join(', ')}\n`
    case 'step-done':
      return `${event.host}: ${event.title} (${event.seconds.toFixed(1)} s)\n`
    case 'step-undone':
      return `${event.host}: undone: ${event.title} (${event.seconds.toFixed(1)} s)\n`
    case 'stopping':
      return 'Stopping: each host completes its current step. Press Ctrl-C again to stop immediately.\n'
    case 'notice':
      return `${event.message}\n`
    default:
      return undefined
  }
}

/** Writes an event as one line of a log with every phase and step, or undefined. */
export function verboseLine(event: DeploymentEvent): string | undefined {
  switch (event.type) {
    case 'phase-started':
      return `${event.host}: ${event.phase} begins\n`
    case 'phase-done':
      return `${event.host}: ${event.phase} ends (${event.seconds.toFixed(1)} s)\n`
    case 'step-started':
      return `${event.host}: ${event.title} …\n`
    default:
      return plainLine(event)
  }
}

/**
 * Writes log lines after a printed plan: steps of the plan have none, and each changed host has one at its
 * end. A failed host has its failure instead.
 */
export function linesAfterPlan(): (event: DeploymentEvent) => string | undefined {
  const seconds = new Map<string, number>()
  const changed = new Set<string>()
  const failed = new Set<string>()
  return (event) => {
    if (event.type === 'host-failed') failed.add(event.host)
    if (event.type === 'step-done') {
      changed.add(event.host)
      return undefined
    }
    if (event.type !== 'phase-done') return plainLine(event)
    const { host, phase } = event
    seconds.set(host, (seconds.get(host) ?? 0) + event.seconds)
    if (phase !== 'verify' || !changed.has(host) || failed.has(host)) return undefined
    return `${host}: done (${seconds.get(host)?.toFixed(1)} s)\n`
  }
}
