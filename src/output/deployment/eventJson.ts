import { printable } from '../../base/printable.ts'
import type { DeploymentEvent } from '../../deployment/events.ts'

/** Writes an event as one line of JSON, with the current time (RFC 3339). */
export function eventJson(event: DeploymentEvent, now: Date): string {
  return `${printable(JSON.stringify({ time: now.toISOString(), ...event }, inMilliseconds))}\n`
}

/** Rounds to milliseconds; all fractions in events are seconds. */
const inMilliseconds = (_: string, value: unknown): unknown =>
  typeof value === 'number' ? Math.round(value * 1000) / 1000 : value
