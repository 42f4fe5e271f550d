import { join } from 'node:path'
import type { Readable, Transform, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { StartError } from '../../api/startError.ts'
import { errorCode, systemErrorText } from '../../base/systemErrors.ts'
import { refusalOf } from '../../client/refusalOfSource.ts'
import type { ProvisionProgress, ServerGtids } from '../../contracts/provisioning.ts'
import type { ServerSettings } from '../../contracts/serverSettings.ts'
import type { Secret } from '../../secrets/secret.ts'
import { ownSource } from '../localServer.ts'
import type { OwnDatabase, Started } from './engine.ts'
import { beginScript, dropScript, endScript, lookScript, swapScript, undoScript } from './folderScripts.ts'
import { findDatabase } from './hostDatabase.ts'
import { openReceiving, openSending } from './hostStreams.ts'
import { type OwnManager, ownManager } from './ownManager.ts'
import { ownTransactions, saveTransactions } from './ownTransactions.ts'
import { askServer, asOwner, type Program, runProgram, startProgram, systemctl } from './program.ts'
import { opened, sealed } from './sealedStream.ts'

/** Milliseconds within which its manager must let a new server follow, and may bring it ONLINE. */
const limits = { follow: 120_000, online: 20_000 }
const pause = 1000

/** Options of both ends of a stream. */
type StreamOptions = {
  /** A UUID that both were given. */
  readonly id: string
  /** Key of the stream, which no manager knows. */
  readonly key: Secret
  /** The program itself, by which its manager is called as another user. */
  readonly self: Program
  readonly signal: AbortSignal
}

/** Sends a backup of this host's server to another host, by the rights of root in the database. Rejects with a `StartError`. */
export async function sendDatabase(
  settings: ServerSettings,
  { id, key, signal, to }: StreamOptions & { readonly to: string },
): Promise<void> {
  const own = await findDatabase(settings)
  const stream = await openSending(settings, { id, to })
  await own.engine.copy(own, {
    use: (program) => pipe(signal, program, [program.child.stdout, sealed(key, program.ended), stream]),
    signal,
  })
}

/** Receives what `sendDatabase` sends into a program; calls `onBytes` with the bytes until then. */
async function receiveBackup(
  settings: ServerSettings,
  { id, key, signal, from }: StreamOptions & { readonly from: string },
  { into, onBytes }: { readonly into: Program; readonly onBytes: (bytes: number) => void },
): Promise<void> {
  const stream = await openReceiving(settings, { id, from })
  const taken = await startProgram(into, { input: 'pipe', output: 'ignore' })
  await pipe(signal, taken, [stream, opened(key, onBytes), taken.child.stdin])
  await taken.ended
}

/** Milliseconds within which a program whose pipe broke tells why. */
const lastWords = 2_000

/** Passes bytes from or to a program, which ends with them; rejects with what it says where it failed, not with its broken pipe. */
async function pipe(
  signal: AbortSignal,
  { child, ended }: Started,
  [from, through, to]: readonly [Readable | null, Transform, Writable | null],
): Promise<void> {
  if (!from || !to) throw new Error('a program has no pipe')
  try {
    await pipeline(from, through, to, { signal })
  } catch (error) {
    if (signal.aborted) throw signal.reason
    if (errorCode(error) === 'EPIPE') await Promise.race([ended, wait(lastWords, undefined, { ref: false })])
    child.kill('SIGKILL')
    if (error instanceof StartError) throw error
    const isShort = errorCode(error) === 'ERR_STREAM_PREMATURE_CLOSE'
    throw new StartError(`the stream broke off${isShort ? '' : `: ${systemErrorText(error)}`}`)
  } finally {
    if (signal.aborted) child.kill('SIGKILL')
  }
}

const shell = (own: OwnDatabase, script: string): Promise<string> =>
  runProgram(asOwner(own.owner, ['sh', '-c', script]))

type DataSource = ReturnType<typeof ownSource>

/**
 * Makes the server of this host anew from a backup that another host sends: receives and prepares it beside the old data, puts
 * it in the place of that while the server is stopped, and has the manager let it follow the primary. The signal ends it until
 * the server is stopped. Rejects with a `StartError`; then the old data are in place, unless it says otherwise.
 */
export async function receiveDatabase(
  settings: ServerSettings,
  options: StreamOptions & {
    readonly from: string
    /** GTIDs of that host, by which transactions are found that this one alone has. */
    readonly theirs: ServerGtids
    readonly say: (progress: ProvisionProgress) => void
  },
): Promise<void> {
  const { from, theirs, signal, say } = options
  const source = ownSource(settings)
  const manager = ownManager(settings, options.self, source)
  // Once more: it may have become the primary since somebody was asked.
  const refusal = refusalOf(await manager.read(), { target: source.name, source: from })
  if (refusal) throw new StartError(refusal.reason)
  const own = await undoLeft(await findDatabase(settings))
  const folder = join(own.folder, '.muster-new')
  let position: string
  try {
    await shell(own, beginScript(own))
    const into = asOwner(own.owner, own.engine.unpack(folder))
    say({ step: 'receive', bytes: 0 })
    const onBytes = (bytes: number): void => say({ step: 'receive', bytes })
    await receiveBackup(settings, options, { into, onBytes })
    say({ step: 'prepare' })
    position = await own.engine.prepare(own, folder, signal)
    signal.throwIfAborted()
  } catch (error) {
    await shell(own, dropScript(own))
    throw signal.aborted ? signal.reason : error
  }
  await replace(own, { position, theirs, say })
  say({ step: 'follow' })
  await follow(manager, own, source)
  await shell(own, endScript(own))
  const state = await onlineState(manager, source)
  say({ step: 'done', ...(state !== undefined && { state }) })
}

/** Ends what an earlier attempt left: the old data come back, unless the server runs on the new. */
async function undoLeft(own: OwnDatabase): Promise<OwnDatabase> {
  if ((await shell(own, lookScript(own))).trim() === '') return own
  if (own.isRunning) {
    await shell(own, endScript(own))
    return own
  }
  await systemctl('stop', '--', own.unit)
  await shell(own, undoScript(own))
  // With data that were broken before it does not start.
  const isRunning = await systemctl('start', '--', own.unit).then(
    () => true,
    () => false,
  )
  return { ...own, isRunning }
}

/**
 * Puts the new data in the place of the old, and starts the server with them; the old are back where that fails. Transactions
 * that no other server has are saved before.
 */
async function replace(
  own: OwnDatabase,
  {
    position,
    theirs,
    say,
  }: {
    readonly position: string
    readonly theirs: ServerGtids
    readonly say: (progress: ProvisionProgress) => void
  },
): Promise<void> {
  say({ step: 'stop' })
  try {
    const alone = own.isRunning ? ownTransactions(await own.engine.readGtids(own), theirs) : undefined
    const index = alone && (await askServer(own, 'SELECT @@log_bin_index')).trimEnd()
    await systemctl('stop', '--', own.unit)
    if (alone && index) {
      say({ step: 'save', file: await saveTransactions(own, { gtids: alone, index, now: new Date() }) })
    }
    say({ step: 'replace' })
    await shell(own, swapScript(own))
    say({ step: 'start' })
    await systemctl('start', '--', own.unit)
    await own.engine.begin(own, position)
  } catch (error) {
    await systemctl('stop', '--', own.unit)
    await shell(own, undoScript(own))
    if (own.isRunning) await systemctl('start', '--', own.unit)
    throw error
  }
}

/** Has the manager let the new server follow the primary, which it does once it has seen that it follows nobody. */
async function follow(manager: OwnManager, own: OwnDatabase, source: DataSource): Promise<void> {
  const end = performance.now() + limits.follow
  for (;;) {
    const problem = await manager.recover().then(
      () => undefined,
      (error: unknown) => {
        if (error instanceof StartError) return error.message
        throw error
      },
    )
    const follows = (await askServer(own, own.engine.channels)).trim() !== ''
    if (follows && (problem === undefined || (await stateOf(manager, source)) === 'ONLINE')) return
    if (performance.now() > end) {
      const old = join(own.folder, '.muster-old')
      const why = problem ?? 'its manager has not seen it yet.'
      throw new StartError(`the new server runs and does not follow: ${why} The old data are in ${old}.`)
    }
    await wait(pause)
  }
}

const stateOf = async (manager: OwnManager, { name }: DataSource): Promise<string | undefined> =>
  (await manager.read()).datasources.find((it) => it.name === name)?.state

/** Returns the state of the data source once it is ONLINE, or after a while. */
async function onlineState(manager: OwnManager, source: DataSource): Promise<string | undefined> {
  const end = performance.now() + limits.online
  for (;;) {
    const state = await stateOf(manager, source)
    if (state === 'ONLINE' || performance.now() > end) return state
    await wait(pause)
  }
}
