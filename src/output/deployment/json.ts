import type { DeploymentEvent } from '../../deployment/events.ts'

/** An event as one line of JSON, with the time it was shown (RFC 3339). */
export function jsonLine(event: DeploymentEvent, now: Date): string {
  return `${JSON.stringify({ time: now.toISOString(), ...event })}\n`
}
