import { resolve } from 'node:path'
import { StartError } from '../../api/startError.ts'
import type { DrillOrder, DrillSight, LedgerRows, WriterLine } from '../../contracts/drilling.ts'
import type { ServerSettings } from '../../contracts/serverSettings.ts'
import { ownSource } from '../localServer.ts'
import { readServerOptions } from '../provision/hostDatabase.ts'
import { mariadbEngine } from '../provision/mariadbEngine.ts'
import type { Server } from '../provision/program.ts'
import { makeFault, prepareFault, undoFault } from './fault.ts'
import { findLedger, makeLedger, readLedger, removeLedger } from './ledger.ts'
import { writeRows } from './writers.ts'

/** Finds the server of a manager's own host. Rejects with a `StartError`. */
async function findServer(settings: ServerSettings): Promise<Server> {
  const { engine, options } = await readServerOptions(ownSource(settings))
  if (engine !== mariadbEngine) throw new StartError('a drill needs a MariaDB, and this host has none')
  return { engine, socket: resolve(options.get('datadir') ?? '/', options.get('socket') ?? '') }
}

async function look(
  settings: ServerSettings,
  { fault, others }: Extract<DrillOrder, { readonly do: 'look' }>,
): Promise<DrillSight> {
  const ledger = await findLedger(await findServer(settings))
  if (fault === undefined) return { ledger }
  try {
    await prepareFault(settings, { fault, others })
    return { ledger }
  } catch (error) {
    if (error instanceof StartError) return { ledger, refusal: error.message.slice(0, 1000) }
    throw error
  }
}

/** Does one part of a drill on this host, by the rights of root; returns its response. Rejects with a `StartError`. */
export async function handleOrder(
  settings: ServerSettings,
  order: DrillOrder,
  { signal, say }: { readonly signal: AbortSignal; readonly say: (line: WriterLine) => void },
): Promise<DrillSight | LedgerRows | undefined> {
  switch (order.do) {
    case 'look':
      return look(settings, order)
    case 'prepare':
      await makeLedger(await findServer(settings), order.hash)
      return undefined
    case 'strike':
      await makeFault(settings, order)
      return undefined
    case 'heal':
      await undoFault()
      return undefined
    case 'write':
      await writeRows(settings, { password: order.password, signal, say })
      return undefined
    case 'read':
      return readLedger(await findServer(settings))
    case 'remove':
      await removeLedger(await findServer(settings))
      return undefined
  }
}
