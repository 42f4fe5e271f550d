import type { TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { parseJson } from '../../base/json.ts'
import { lastLines } from '../../base/printable.ts'
import { type DrillOrder, DrillSight, LedgerLogin, LedgerRows, WriterLine } from '../../contracts/drilling.ts'
import type { ReadonlyStatic } from '../../contracts/schemaParts.ts'
import { Secret } from '../../secrets/secret.ts'
import type { Transport } from '../../transport/transport.ts'
import type { InstalledFacts } from '../facts/hostFacts.ts'
import { command, endable, ended, followed, linesOf, notRoot, settingsOf, wordsOf } from '../rootPrograms.ts'
import { StepError } from '../stepError.ts'
import type { SurveyedHost } from '../survey.ts'

/** A host that takes part in a drill. */
export type DrillHost = SurveyedHost<InstalledFacts>

/** Milliseconds of an order; a server that is started again may have to recover first. */
const timeouts = { usual: 30_000, heal: 150_000 }

export const notDrilled = (host: string, message: string, fix: string): StepError =>
  new StepError({ host, code: 'not-drilled', message, fix })

/** Has a host do its part of a drill. Rejects with a `StepError` or a `TransportError`. */
async function run(reached: DrillHost, order: DrillOrder): Promise<string> {
  const { host, transport, facts } = reached
  if (facts.uid !== 0) throw notDrilled(host.name, ...notRoot)
  const { code, stdout, stderr } = await transport.run(
    command(reached, `drill --settings ${settingsOf(reached)}`),
    {
      stdin: new Secret(JSON.stringify(order)),
      timeout: order.do === 'heal' ? timeouts.heal : timeouts.usual,
    },
  )
  if (code === 0) return stdout.raw()
  // Wrong usage, for a release that knows no drill.
  const fix = code === 3 ? 'Upgrade it: `muster upgrade`.' : 'Remove the cause, and try again.'
  throw notDrilled(host.name, wordsOf(stderr.raw(), code), fix)
}

async function read<Schema extends TSchema>(
  reached: DrillHost,
  order: DrillOrder,
  schema: Schema,
): Promise<ReadonlyStatic<Schema>> {
  const response = parseJson(await run(reached, order))
  if (Value.Check(schema, response)) return response as ReadonlyStatic<Schema>
  throw notDrilled(reached.host.name, 'its response is not that of a drill', 'Install again, and try again.')
}

/** Other hosts of a service, by name and address. */
type Others = Extract<DrillOrder, { readonly do: 'strike' }>['others']

/** Orders for one host; each rejects with a `StepError` or a `TransportError`. */
export const orders = {
  look: async (
    at: DrillHost,
    wish: { readonly fault?: DrillOrderFault; readonly others: Others },
  ): Promise<DrillSight> => {
    const sight = await read(at, { do: 'look', ...wish }, DrillSight)
    const { refusal } = sight
    return refusal === undefined ? sight : { ...sight, refusal: lastLines(refusal) }
  },
  /** Resolves to the password of the account. */
  prepare: async (at: DrillHost): Promise<Secret> =>
    new Secret((await read(at, { do: 'prepare' }, LedgerLogin)).password),
  strike: (at: DrillHost, fault: DrillOrderFault, others: Others) => run(at, { do: 'strike', fault, others }),
  heal: (at: DrillHost) => run(at, { do: 'heal' }),
  read: async (at: DrillHost): Promise<LedgerRows> => {
    const rows = await read(at, { do: 'read' }, LedgerRows)
    if (rows.every(areAscending)) return rows
    throw notDrilled(at.host.name, 'its rows are in no order', 'Install again, and try again.')
  },
  remove: (at: DrillHost) => run(at, { do: 'remove' }),
} as const

/** Returns true for ranges that follow each other: so they hold each row once at most. */
const areAscending = (ranges: LedgerRows[number]): boolean =>
  ranges.every(([first, last], at) => first <= last && first > (ranges[at - 1]?.[1] ?? 0))

type DrillOrderFault = Extract<DrillOrder, { readonly do: 'strike' }>['fault']

/** Has a host write rows through its connector, over a connection of its own, until the signal. Rejects as the others do. */
export async function writeRows(
  at: DrillHost,
  options: {
    readonly transport: Transport
    readonly password: Secret
    readonly onLine: (line: WriterLine) => void
    readonly signal: AbortSignal
  },
): Promise<void> {
  const { transport, password, onLine, signal } = options
  const over = new AbortController()
  const onOutput = linesOf((text) => {
    if (text === ended) return over.abort()
    const line = parseJson(text)
    if (Value.Check(WriterLine, line)) onLine(line)
  })
  const order = new Secret(JSON.stringify({ do: 'write', password: password.reveal() }))
  const program = `env ${command(at, `drill --settings ${settingsOf(at, 'connector')}`)}`
  const { code, stderr } = await followed(transport, endable(order, program), {
    ...{ onOutput, signal: AbortSignal.any([signal, over.signal]) },
  })
  // Told to end, it does so by itself.
  if (code === 0) return
  throw notDrilled(at.host.name, wordsOf(stderr, code), 'Remove the cause, and try again.')
}
