import { DatabaseError } from '../../../../src/components/databases/databaseError.ts'
import type { Channel } from '../../../../src/components/databases/dialect.ts'
import { readMariadbGtids } from '../../../../src/components/databases/gtidSet.ts'
import type { SwitchReading } from '../../../../src/components/databases/switchServer.ts'
import type { SwitchMember } from '../../../../src/components/manager/switch/planSwitch.ts'
import { channel, idleReading } from '../support.ts'

/** Reading of a server without anything special. */
export const healthy: SwitchReading = {
  ...idleReading,
  gtids: readMariadbGtids('0-1-35'),
  missingPrivileges: [],
  logsReplicated: true,
  omissions: [],
  runsEvents: false,
  canStopEvents: false,
  tls: null,
}
/** Channel of a replica that is not behind. */
export const following: Channel = { ...channel, secondsBehind: 0 }

/** Makes `db1` a primary and any other number a replica of it, but for a change. */
export function member(
  number: number,
  change: Partial<SwitchReading> = {},
  more: Partial<SwitchMember> = {},
): SwitchMember {
  const own = number === 1 ? { isWritable: true } : { channels: [following] }
  const reading: SwitchReading = { ...healthy, serverId: number, ...own, ...change }
  return {
    name: `db${number}`,
    host: `10.0.0.${number}`,
    port: 3306,
    role: number === 1 ? 'primary' : 'replica',
    state: 'ONLINE',
    look: { kind: 'answered', reading },
    known: reading,
    failures: 0,
    ...more,
  }
}

export const gone = {
  look: {
    kind: 'failed',
    error: new DatabaseError({ code: 'unreachable', message: 'The database is gone.' }),
  },
} as const
