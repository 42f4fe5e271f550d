import { printableLine } from '../../base/printable.ts'
import type { AcceptableReason } from '../../contracts/choices.ts'
import type { Row } from './connection.ts'

/** A setting by which a server holds less than its primary, or would pass on less to those that follow it. */
export type Omission = {
  readonly reason: AcceptableReason
  /** The setting with its value, as the server says it, for people. */
  readonly setting: string
}

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

/** Names of the global variables that `omissionsOf` reads. */
export const omissionVariables: readonly string[] = Object.keys(variables)

/** Returns the settings of a row that begin with a prefix and are not empty. */
const settingsOf = (row: Row, prefix: string, reason: AcceptableReason): readonly Omission[] =>
  Object.entries(row).flatMap(([name, value]) =>
    name.startsWith(prefix) && value !== null && value !== ''
      ? [{ reason, setting: settingOf(name, value) }]
      : [],
  )

/** Returns what the binary log of a server leaves out, by the row of its position; undefined for no such log. */
export const logOmissions = (log: Row | undefined): readonly Omission[] =>
  settingsOf(log ?? {}, 'Binlog_', 'binary-log-filter')

/**
 * Returns what a server leaves out: filters of its channels and of its binary log, errors that it skips, rows that it finds
 * changed and overlooks (mariadb.com/kb/en/replication-filters; MySQL 8.4 Reference Manual, "Replica Server Options").
 * Rows of channels have all filters of a channel, wherever they are set.
 */
export function omissionsOf(rows: {
  readonly channels: readonly Row[]
  /** Position of the server's own binary log; undefined where it writes none. */
  readonly log: Row | undefined
  /** Values of global variables by their names. */
  readonly set: ReadonlyMap<string, string>
}): readonly Omission[] {
  const ofVariables = Object.entries(variables).flatMap(
    ([name, { reason, harmless }]): readonly Omission[] => {
      const value = rows.set.get(name)
      return value === undefined || harmless.test(value) ? [] : [{ reason, setting: settingOf(name, value) }]
    },
  )
  return [
    ...rows.channels.flatMap((row) => settingsOf(row, 'Replicate_', 'filter')),
    ...logOmissions(rows.log),
    ...ofVariables,
  ].slice(0, most)
}

const settingOf = (name: string, value: string): string =>
  `${printableLine(name.slice(0, 64))} = ${printableLine(value.slice(0, 100))}`
