import { setTimeout as wait } from 'node:timers/promises'
import { eventSchedulerGrant, replicationGrants } from '../../../contracts/databaseAccounts.ts'
import type { ServerSettings } from '../../../contracts/serverSettings.ts'
import { placeOf } from '../../databases/connection.ts'
import { databaseTypeOf } from '../../databases/dialects.ts'
import { dialServer, proofOf, readPassword } from '../../databases/dialServer.ts'
import { createSwitchServer } from '../../databases/switchServer.ts'
import { failOverByItself } from './automaticFailover.ts'
import type { Timing } from './runSwitch.ts'
import { createSwitcher, type Switcher } from './switcher.ts'

/** Milliseconds. A switch is for servers that answer. */
const dialLimits = { reach: 1000, login: 2000 }

/** Milliseconds for which a connection of a switch may be idle, beyond those that clients may wait. */
const idleAfterHold = 60_000

/** Returns the switcher of the settings; undefined where they name no account for it, or none to check data sources with. Throws a `StartError`. */
export function openSwitcher(
  settings: Pick<ServerSettings, 'switching' | 'monitor' | 'databaseProof' | 'secretsFile'>,
  means: Pick<Parameters<typeof createSwitcher>[0], 'manager' | 'others' | 'update' | 'log' | 'crash'>,
): Switcher | undefined {
  const { switching, monitor, secretsFile } = settings
  if (!switching || !monitor || secretsFile === undefined) return undefined
  const { user, ...limits } = switching
  const secret = { file: secretsFile, option: 'replication-password' }
  readPassword(secret)
  const timing: Timing = {
    now: () => performance.now(),
    wait: (milliseconds) => wait(milliseconds, undefined, { ref: false }),
  }
  const switcher = createSwitcher({
    ...means,
    open: ({ service, name, host, port }) =>
      createSwitchServer({
        dial: dialServer({
          server: { host, port },
          user,
          secret,
          purpose: 'replication',
          proof: proofOf(settings, { host, name }),
          limits: dialLimits,
        }),
        place: placeOf({ host, port }),
        service,
        leftOut: [user, monitor.user],
        idle: limits.maxHold + idleAfterHold,
      }),
    account: () => ({ user, password: readPassword(secret) }),
    limits,
    grants: (version) => replicationGrants({ type: databaseTypeOf(version), user, from: '%' }),
    eventsGrant: eventSchedulerGrant({ user, from: '%' }),
    timing,
    now: () => new Date(),
  })
  const stop = failOverByItself({ ...means, start: switcher.start, timing })
  return {
    ...switcher,
    close: () => {
      stop()
      switcher.close()
    },
  }
}
