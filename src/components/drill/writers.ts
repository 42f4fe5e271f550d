import { setTimeout as wait } from 'node:timers/promises'
import { StartError } from '../../api/startError.ts'
import { connectableAddress } from '../../base/address.ts'
import { drillName, drillWriters, mostRows, type WriterLine } from '../../contracts/drilling.ts'
import type { ServerSettings } from '../../contracts/serverSettings.ts'
import { Secret } from '../../secrets/secret.ts'
import { connect } from '../databases/connect.ts'
import type { Connection } from '../databases/connection.ts'
import { DatabaseError } from '../databases/databaseError.ts'

/** Milliseconds of a writer between two rows, and after one that was refused. */
const pauses = { row: 20, refused: 200 }

/** Milliseconds until the writers end by themselves, where nobody ends them. */
const deadline = 300_000

/**
 * Writes rows to the ledger through the connector of this host, until the signal or the deadline: each writer one after the
 * other, each row once. `say` gets each of them that was acknowledged or refused. Rejects with a `StartError`.
 */
export async function writeRows(
  { proxy }: Pick<ServerSettings, 'proxy'>,
  options: {
    readonly password: string
    readonly signal: AbortSignal
    readonly say: (line: WriterLine) => void
  },
): Promise<void> {
  if (proxy === undefined) throw new StartError('the connector of this host leads to no database')
  const { address, port } = proxy
  const host = connectableAddress(address)
  const account = { host, port, user: drillName, password: new Secret(options.password) }
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(deadline)])
  const began = performance.now()
  const now = (): number => performance.now() - began

  async function write(writer: number): Promise<void> {
    let connection: Connection | undefined
    for (let row = 1; row <= mostRows && !signal.aborted; row++) {
      const begin = now()
      try {
        connection ??= await connect(account, signal)
        await connection.query(`INSERT INTO ${drillName}.ledger VALUES (${writer}, ${row})`)
        options.say({ writer, row, begin, end: now() })
      } catch (error) {
        connection?.close()
        connection = undefined
        // What it had begun has no answer.
        if (signal.aborted) return
        if (!(error instanceof DatabaseError)) throw error
        options.say({ writer, row, begin, end: now(), refused: error.message.slice(0, 2000) })
        await pause(pauses.refused)
      }
      await pause(pauses.row)
    }
    connection?.quit()
  }
  const pause = (milliseconds: number): Promise<unknown> =>
    // time: the pace of an application; the signal ends it.
    wait(milliseconds, undefined, { signal }).catch(() => undefined)
  await Promise.all(Array.from({ length: drillWriters }, (_, writer) => write(writer)))
}
