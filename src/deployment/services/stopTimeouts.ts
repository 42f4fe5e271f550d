import { memberOf } from '../../base/json.ts'
import type { InstalledFacts } from '../facts/hostFacts.ts'

/** Milliseconds in which a component must end after its clients are gone: calls in progress get ten seconds. */
const stopMargin = 40_000

/** Milliseconds of a day, the maximum of `connector-drain-timeout`: no host's settings can delay a run longer. */
const maxDrainTimeout = 24 * 60 * 60_000

/** Default timeout of a script in milliseconds (`RunOptions.timeout`). */
const defaultTimeout = 60_000

/**
 * Returns the milliseconds in which the running connector of a host lets its clients finish when it is stopped, from
 * its own settings; 0 if none runs, or it forwards to no database. This is the limit, whatever the file says today.
 */
export function drainTimeoutOf({ services, installation }: InstalledFacts): number {
  if (services.get('connector')?.state !== 'running') return 0
  return drainTimeoutIn(installation.settings.get('connector'))
}

/** Returns the drain timeout in settings of any version. */
function drainTimeoutIn(settings: unknown): number {
  const time = memberOf(memberOf(settings, 'proxy'), 'drainTimeout')
  return typeof time === 'number' && time > 0 ? Math.min(time, maxDrainTimeout) : 0
}

/**
 * Returns the seconds after which a stopping component is killed: systemd's TimeoutStopSec, and muster's own timeout.
 */
export const stopSeconds = (drainTimeout: number): number => Math.ceil((drainTimeout + stopMargin) / 1000)

/** Returns the timeout in milliseconds for a script that stops or restarts components with this drain timeout. */
export const stopScriptTimeout = (drainTimeout: number): number => defaultTimeout + drainTimeout + stopMargin
