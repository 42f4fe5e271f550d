import { printableLine } from '../../base/printable.ts'
import type { AcceptableReason } from '../../contracts/choices.ts'
import type { Row } from './connection.ts'
import type { Dialect } from './dialect.ts'

/** A setting by which a server holds less than its primary, or would pass on less to those that follow it. */
export type Omission = {
  readonly reason: AcceptableReason
  /** The setting with its value, as the server says it, for people. */
  readonly setting: string
}

type Ask = (statement: string) => Promise<readonly Row[]>

/** Global variables that are read, and the values with which nothing is left out; both kinds of server have old and new names. */
const variables: Readonly<Record<string, { readonly reason: AcceptableReason; readonly harmless: RegExp }>> =
  {
    slave_skip_errors: { reason: 'skipped-errors', harmless: /^(OFF)?$/i },
    replica_skip_errors: { reason: 'skipped-errors', harmless: /^(OFF)?$/i },
    sql_slave_skip_counter: { reason: 'skipped-errors', harmless: /^0?$/ },
    sql_replica_skip_counter: { reason: 'skipped-errors', harmless: /^0?$/ },
    slave_exec_mode: { reason: 'idempotent', harmless: /^STRICT$/i },
    replica_exec_mode: { reason: 'idempotent', harmless: /^STRICT$/i },
  }

/** Settings that are named of one server. */
const most = 10

/**
 * Reads what a server leaves out: filters of its channels and of its binary log, errors that it skips, rows that it finds
 * changed and overlooks (mariadb.com/kb/en/replication-filters; MySQL 8.4 Reference Manual, "Replica Server Options").
 * Rows of channels have all filters of a channel, wherever they are set.
 */
export async function readOmissions(
  ask: Ask,
  dialect: Dialect,
  channels: readonly Row[],
): Promise<readonly Omission[]> {
  const names = Object.keys(variables).map((name) => `'${name}'`)
  const set = await ask(`SHOW GLOBAL VARIABLES WHERE Variable_name IN (${names.join(', ')})`)
  const [log = {}] = await ask(dialect.position[0])
  const named = (row: Row, prefix: string, reason: AcceptableReason): readonly Omission[] =>
    Object.entries(row).flatMap(([name, value]) =>
      name.startsWith(prefix) && value !== null && value !== ''
        ? [{ reason, setting: settingOf(name, value) }]
        : [],
    )
  const ofVariables = set.flatMap((row): readonly Omission[] => {
    const { Variable_name: name, Value: value } = row
    const its = variables[name ?? '']
    if (!its || !name || value == null || its.harmless.test(value)) return []
    return [{ reason: its.reason, setting: settingOf(name, value) }]
  })
  return [
    ...channels.flatMap((row) => named(row, 'Replicate_', 'filter')),
    ...named(log, 'Binlog_', 'binary-log-filter'),
    ...ofVariables,
  ].slice(0, most)
}

const settingOf = (name: string, value: string): string =>
  `${printableLine(name.slice(0, 64))} = ${printableLine(value.slice(0, 100))}`
