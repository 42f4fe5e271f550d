import { resolve } from 'node:path'
import { StartError } from '../../api/startError.ts'
import type { DrillOrder, DrillSight, LedgerLogin, LedgerRows, WriterLine } from '../../contracts/drilling.ts'
import type { ServerSettings } from '../../contracts/serverSettings.ts'
import { ownSource } from '../localServer.ts'
import { readServerOptions } from '../provision/hostDatabase.ts'
import type { Server } from '../provision/program.ts'
import { makeFault, prepareFault, undoFault } from './fault.ts'
import { findLedger, makeLedger, readLedger, removeLedger } from './ledger.ts'
import { writeRows } from './writers.ts'

/** Finds the server of a manager's own host. Rejects with a `StartError`. */
async function findServer(settings: ServerSettings): Promise<Server> {
  const { engine, options } = await readServerOptions(ownSource(settings))
  return { engine, socket: resolve(options.get('datadir') ?? '/', options.get('socket') ?? '') }
}

async function look(
  settings: ServerSettings,
  { fault, others }: Extract<DrillOrder, { readonly do: 'look' }>,
): Promise<DrillSight> {
  const server = await findServer(settings)
  const sight: DrillSight = { ledger: await findLedger(server), database: server.engine.client }
  if (fault === undefined) return sight
  try {
    await prepareFault(settings, { fault, others })
    return sight
  } catch (error) {
    if (error instanceof StartError) return { ...sight, refusal: error.message.slice(0, 1000) }
    throw error
  }
}

/** Does one part of a drill on this host, by the rights of root; returns its response. Rejects with a `StartError`. */
export async function handleOrder(
  settings: ServerSettings,
  order: DrillOrder,
  { signal, say }: { readonly signal: AbortSignal; readonly say: (line: WriterLine) => void },
): Promise<DrillSight | LedgerLogin | LedgerRows | undefined> {
  switch (order.do) {
    case 'look':
      return look(settings, order)
    case 'prepare':
      return { password: (await makeLedger(await findServer(settings))).reveal() }
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
