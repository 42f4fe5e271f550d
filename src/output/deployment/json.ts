import { printable } from '../../base/printable.ts'
import type { DeploymentEvent } from '../../deployment/events.ts'

/** An event as one line of JSON, with the time it was shown (RFC 3339). */
export function jsonLine(event: DeploymentEvent, now: Date): string {
  return `${printable(JSON.stringify({ time: now.toISOString(), ...event }, inMilliseconds))}\n`
}

/** Seconds as exact as a person measures; all fractions of events are seconds. */
const inMilliseconds = (_: string, value: unknown): unknown =>
  typeof value === 'number' ? Math.round(value * 1000) / 1000 : value
