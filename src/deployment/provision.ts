import { randomBytes, randomUUID } from 'node:crypto'
import { Value } from 'typebox/value'
import { parseJson } from '../base/json.ts'
import { boundedMessage } from '../base/printable.ts'
import { quote } from '../base/shellWords.ts'
import { bytesText } from '../base/words.ts'
import type { CallClock } from '../client/call.ts'
import type { SeenService } from '../client/clusterView.ts'
import type { DataSourceOperation } from '../contracts/dataSourceOperations.ts'
import { dataSourceRoutes } from '../contracts/managerRoutes.ts'
import { HostDatabase, ProvisionProgress, type ServerGtids, serverText } from '../contracts/provisioning.ts'
import { callOf } from '../contracts/routeCall.ts'
import { Secret } from '../secrets/secret.ts'
import type { InstalledFacts } from './facts/hostFacts.ts'
import { command, endable, ended, followed, linesOf, notRoot, settingsOf, wordsOf } from './rootPrograms.ts'
import { StepError } from './stepError.ts'
import type { SurveyedHost } from './survey.ts'
import { type HostProblem, type ManagerOfHost, problemOf } from './switchPrimary.ts'

/** A host that a database is copied from or to, and what it says of its own. */
export type DatabaseHost = { readonly reached: SurveyedHost<InstalledFacts>; readonly database: HostDatabase }

/** Milliseconds in which a host adds up its data. */
const describeTimeout = 120_000

/** Bytes that the target needs for each byte of the source: what is written meanwhile comes along. */
const spare = 1.1

const notProvisioned = (host: string, message: string, fix: string): StepError =>
  new StepError({ host, code: 'not-provisioned', message, fix })

const beside = (gtids: ServerGtids | undefined): string => `--beside ${quote(JSON.stringify(gtids ?? null))}`

/**
 * Reads what a host says of its database, and which transactions it has beside those of `other`. Rejects with a `StepError`
 * where it cannot be copied, or a `TransportError`.
 */
export async function describeDatabase(
  reached: SurveyedHost<InstalledFacts>,
  other?: DatabaseHost,
): Promise<DatabaseHost> {
  const { host, transport, facts } = reached
  if (facts.uid !== 0) throw notProvisioned(host.name, ...notRoot)
  const script = command(
    reached,
    `describe-database --settings ${settingsOf(reached)} ${beside(other?.database.gtids)}`,
  )
  const { code, stdout, stderr } = await transport.run(script, { timeout: describeTimeout })
  const database = code === 0 ? parseJson(stdout.raw()) : undefined
  if (Value.Check(HostDatabase, database)) return { reached, database }
  const fix = 'Remove the cause, and try again.'
  throw notProvisioned(host.name, wordsOf(stderr.raw(), code), fix)
}

/** Returns the host to copy from: a replica that is ONLINE and not the target, else the primary; undefined for none. */
export function chooseSource({ writer, datasources }: SeenService, target: string): string | undefined {
  const online = datasources.filter(({ name, state }) => name !== target && state === 'ONLINE')
  const replica = online.find(({ name }) => name !== writer.datasource)
  return (replica ?? online[0])?.name
}

const seriesOf = (version = ''): string => version.split('.').slice(0, 2).join('.')

/** Throws a `StepError` where the data of one host cannot become those of the other. */
export function refuseUnfit({ from, to }: { readonly from: DatabaseHost; readonly to: DatabaseHost }): void {
  const { name } = to.reached.host
  const source = from.reached.host.name
  const [its, wanted] = [to, from].map((it) => serverText(it.database.version))
  if (seriesOf(its) !== seriesOf(wanted)) {
    throw notProvisioned(
      name,
      `it has ${its}, and ${source} has ${wanted}`,
      'Install the same release on both, or choose another host with --from.',
    )
  }
  if (from.database.obstacle !== undefined) {
    throw notProvisioned(
      source,
      boundedMessage(from.database.obstacle),
      'Remove the cause, or choose another host with --from.',
    )
  }
  const needed = Math.ceil(from.database.bytes * spare)
  if (to.database.free < needed) {
    throw notProvisioned(
      name,
      `${to.database.folder} has ${bytesText(to.database.free)} free, and needs ${bytesText(needed)} beside the old data`,
      'Free disk space there.',
    )
  }
}

/** Exit code of flock(1) where another one has the lock. */
const locked = 75

const lockFile = '/run/muster-provision.lock'

/**
 * Makes the database of a host anew from that of another one; `onProgress` gets its steps. The signal ends it until the server
 * is stopped. Rejects with a `StepError` or a `TransportError`; resolves to the last step.
 */
export async function provision(options: {
  readonly from: DatabaseHost
  readonly to: DatabaseHost
  readonly onProgress: (progress: ProvisionProgress) => void
  readonly signal: AbortSignal
}): Promise<ProvisionProgress | undefined> {
  const { from, to, onProgress, signal } = options
  const id = randomUUID()
  const key = new Secret(randomBytes(32).toString('hex'))
  const stop = new AbortController()
  const end = (): void => stop.abort()
  signal.addEventListener('abort', end, { once: true })
  let last: ProvisionProgress | undefined
  const read = (line: string): void => {
    const progress = parseJson(line)
    if (!Value.Check(ProvisionProgress, progress)) return
    last = progress
    onProgress(progress)
  }
  const run = async (
    { reached }: DatabaseHost,
    words: string,
    onLine: (line: string) => void,
  ): Promise<void> => {
    const { host, transport } = reached
    const over = new AbortController()
    const onOutput = linesOf((line) => {
      if (line === ended) over.abort()
      else onLine(line)
    })
    const program = command(reached, `${words} --settings ${settingsOf(reached)} --id ${id}`)
    const locking = `flock --no-fork --nonblock --conflict-exit-code ${locked} ${lockFile} env`
    const signals = AbortSignal.any([stop.signal, over.signal])
    const { code, stderr } = await followed(transport, endable(key, `${locking} ${program}`), {
      ...{ onOutput, signal: signals },
    })
    if (code === 0) return
    const message = code === locked ? 'another run copies a database at this moment' : wordsOf(stderr, code)
    throw notProvisioned(host.name, message, 'Remove the cause, and try again: it begins anew.')
  }
  const [receiving, sending] = [
    run(to, `receive-database --from ${quote(from.reached.host.name)} ${beside(from.database.gtids)}`, read),
    run(from, `send-database --to ${quote(to.reached.host.name)}`, () => undefined),
  ]
  try {
    // The target goes on by itself once it has everything; without the source it never has.
    sending.catch(end)
    receiving.catch(end)
    const [received, sent] = await Promise.allSettled([receiving, sending])
    if (received.status === 'fulfilled') return last
    // That the stream broke off is what one end says of a failure of the other.
    throw sent.status === 'rejected' && isBreak(received.reason) ? sent.reason : received.reason
  } finally {
    signal.removeEventListener('abort', end)
  }
}

const isBreak = (error: unknown): boolean =>
  error instanceof StepError && error.message.startsWith('the stream broke off')

/** Milliseconds: for one call of a manager, and in which it must have seen what a call asks for. */
const managerLimits = { call: 10_000, seen: 30_000, pause: 1000 }

/**
 * Changes the state of a data source at each of these managers alone; returns why some of them did not. Tries again where one
 * does not see yet what the change needs.
 */
export async function changeState(
  managers: readonly ManagerOfHost[],
  change: {
    readonly service: string
    readonly name: string
    readonly operation: DataSourceOperation
    readonly clock: CallClock
  },
): Promise<readonly HostProblem[]> {
  const { service, name, operation, clock } = change
  const made = callOf(
    dataSourceRoutes[operation],
    { service, datasource: name },
    { query: { peers: 'alone' } },
  )
  const end = clock.now() + managerLimits.seen
  const results = await Promise.all(
    managers.map(async ({ host, call }): Promise<readonly HostProblem[]> => {
      for (;;) {
        const response = await call({ ...made, timeout: managerLimits.call })
        const problem = problemOf(response)
        if (problem === undefined) return []
        if ('silence' in response || clock.now() > end) return [{ host, problem }]
        await clock.wait(managerLimits.pause)
      }
    }),
  )
  return results.flat()
}
