import { memberOf, parseJson } from '../../base/json.ts'
import type { InstalledFacts } from '../facts/hostFacts.ts'

/** Milliseconds that a component has for its end after its clients are gone: calls under way get ten seconds. */
const margin = 40_000

/** Milliseconds of a day, the longest that `connector-drain-timeout` may be: no host's settings hold a run longer. */
const longest = 24 * 60 * 60_000

/** Milliseconds that any other script has (`RunOptions.timeout`). */
const usual = 60_000

/**
 * Milliseconds for which the connector that runs on a host lets its clients finish when it is stopped, as its
 * own settings say; 0 where none runs, or it forwards to no database. It has no longer than that, whatever the
 * file says today.
 */
export function drainTimeoutOf({ services, installation }: InstalledFacts): number {
  if (services.get('connector')?.state !== 'running') return 0
  return drainTimeoutIn(installation.settings.get('connector') ?? '')
}

/** The same of a settings file of any version. */
function drainTimeoutIn(text: string): number {
  const time = memberOf(memberOf(parseJson(text), 'proxy'), 'drainTimeout')
  return typeof time === 'number' && time > 0 ? Math.min(time, longest) : 0
}

/** Seconds after which a component that is told to stop is killed: systemd's TimeoutStopSec, and our own patience. */
export const stopSeconds = (drainTimeout: number): number => Math.ceil((drainTimeout + margin) / 1000)

/** Milliseconds that a script may take which stops, or restarts, what drains for that long. */
export const stopPatience = (drainTimeout: number): number => usual + drainTimeout + margin
