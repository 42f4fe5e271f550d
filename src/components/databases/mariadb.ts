import type { Row } from './connection.ts'
import {
  applier,
  type Channel,
  type Dialect,
  delay,
  disabledEvents,
  logPosition,
  numberOrNull,
  quoteText,
  receiver,
  replicationTls,
  sourceAssignments,
  sourceId,
  text,
  threadError,
} from './dialect.ts'
import { readMariadbGtids } from './gtidSet.ts'

/** Returns the number in a position such as `0-1-35` (domain, server, number); null for none and for several domains. */
function sequenceOf(gtids: string | null | undefined): number | null {
  const number = /^\d+-\d+-(\d+)$/.exec(gtids ?? '')?.[1]
  return number === undefined ? null : Number(number)
}

function readChannel(row: Row): Channel {
  return {
    name: text(row, 'Connection_name'),
    source: { host: text(row, 'Master_Host'), port: Number(text(row, 'Master_Port')) },
    sourceId: sourceId(row, 'Master_Server_Id'),
    receiver: receiver(row, 'Slave_IO_Running'),
    receiverError: threadError(row, 'Last_IO'),
    applier: applier(row, 'Slave_SQL_Running'),
    applierError: threadError(row, 'Last_SQL'),
    secondsBehind: numberOrNull(row, 'Seconds_Behind_Master'),
    received: logPosition(row, ['Master_Log_File', 'Read_Master_Log_Pos']),
    applied: logPosition(row, ['Relay_Master_Log_File', 'Exec_Master_Log_Pos']),
    sequence: sequenceOf(text(row, 'Gtid_Slave_Pos')),
    byGtid: text(row, 'Using_Gtid') !== 'No',
    receivedGtids: readMariadbGtids(text(row, 'Gtid_IO_Pos')),
    delay: delay(row),
    tls: replicationTls(row, 'Master_SSL'),
  }
}

/** Number of connections that one statement ends. */
const mostKilled = 200

function inGroups(ids: readonly number[]): readonly (readonly number[])[] {
  const count = Math.ceil(ids.length / mostKilled)
  return Array.from({ length: count }, (_, index) => ids.slice(index * mostKilled, (index + 1) * mostKilled))
}

/** One round trip for all; 1094 is ER_NO_SUCH_THREAD. */
const killStatement = (ids: readonly number[]): string =>
  `BEGIN NOT ATOMIC DECLARE CONTINUE HANDLER FOR 1094 BEGIN END; ${ids.map((id) => `KILL CONNECTION ${id};`).join(' ')} END`

/**
 * Returns the position from which a former primary goes on: of each domain what its binary log has last, and what it had
 * replicated before of domains that the log does not have.
 */
function positionOf(log: string, applied: string): string | null {
  if (readMariadbGtids(log, applied) === null) return null
  const lists = `${applied},${log}`.split(',').map((it) => it.trim())
  const domains = new Map(lists.filter((it) => it !== '').map((it) => [it.split('-')[0], it]))
  return [...domains.values()].join(',')
}

/** Returns of each domain the position with the higher number; null if a text is no position. */
function furthestOf(one: string, other: string): string | null {
  if (readMariadbGtids(one, other) === null) return null
  const lists = `${one},${other}`.split(',').map((it) => it.trim())
  const parts = lists.filter((it) => it !== '').map((it) => it.split('-'))
  const domains = new Map(
    parts.toSorted((a, b) => Number(a[2]) - Number(b[2])).map((it) => [it[0], it.join('-')]),
  )
  return [...domains.values()].join(',')
}

/**
 * MariaDB keeps the words SLAVE and MASTER, in columns and in statements that every version takes; its channels
 * are called connections (mariadb.com/kb/en/multi-source-replication).
 */
export const mariadb: Dialect = {
  title: 'MariaDB',
  channels: 'SHOW ALL SLAVES STATUS',
  readChannel,
  position: ['SHOW MASTER STATUS', 'SELECT @@GLOBAL.gtid_binlog_pos AS gtids'],
  readPosition: (log, more) => ({
    written: `${text(log, 'File')}:${text(log, 'Position')}`,
    sequence: sequenceOf(more.gtids),
  }),
  gtids:
    'SELECT @@GLOBAL.gtid_binlog_pos AS gtids, @@GLOBAL.gtid_binlog_state AS written, @@GLOBAL.gtid_slave_pos AS replicated',
  readGtids: (row) => readMariadbGtids(text(row, 'written'), text(row, 'replicated')),
  start: (channel) => `START SLAVE ${quoteText(channel)}`,
  stop: (channel) => `STOP SLAVE ${quoteText(channel)}`,
  reset: (channel) => `RESET SLAVE ${quoteText(channel)}`,
  switching: {
    session: ['SET SESSION max_statement_time = 0, lock_wait_timeout = 1'],
    // Threads of replication and the event scheduler are no connections of clients.
    sessions: (leftOut) =>
      "SELECT ID AS id, USER AS user, COMMAND AS command, TIME_MS AS milliseconds, COALESCE(INFO LIKE '%---TRANSACTION %', 0) " +
      'AS misleads FROM information_schema.PROCESSLIST WHERE ID <> CONNECTION_ID() ' +
      "AND COMMAND NOT IN ('Binlog Dump', 'Daemon') AND COMMAND NOT LIKE 'Slave%' " +
      `AND NOT (USER = 'system user' AND HOST = '')${leftOut.map((user) => ` AND USER <> ${quoteText(user)}`).join('')}`,
    transactions:
      "SELECT trx_mysql_thread_id AS id, NULLIF(trx_id, '0') AS number, TIMESTAMPDIFF(SECOND, trx_started, NOW()) AS seconds " +
      'FROM information_schema.INNODB_TRX WHERE trx_mysql_thread_id > 0',
    // The table is a copy, which is made anew only when nobody has read it for a tenth of a second.
    status: { statement: 'SHOW ENGINE INNODB STATUS', age: 100 },
    kill: (ids) => inGroups(ids).map(killStatement),
    scope: 'GLOBAL',
    setReadOnly: (is) => [`SET GLOBAL read_only = ${is ? 1 : 0}`],
    // Accounts with READ ONLY ADMIN or SUPER, and events of theirs, write to a server with read_only.
    commitLock: { take: 'FLUSH TABLES WITH READ LOCK', release: 'UNLOCK TABLES' },
    eventScheduler: { stop: 'SET GLOBAL event_scheduler = OFF', start: 'SET GLOBAL event_scheduler = ON' },
    disabledEvents,
    written: 'SELECT @@GLOBAL.gtid_binlog_pos AS log, @@GLOBAL.gtid_slave_pos AS applied',
    waitFor: (gtids, seconds) => `SELECT MASTER_GTID_WAIT(${quoteText(gtids)}, ${seconds}) AS result`,
    stopAll: 'STOP ALL SLAVES',
    stopReceiver: (channel) => `STOP SLAVE ${quoteText(channel)} IO_THREAD`,
    startAll: 'START ALL SLAVES',
    forget: (channel) => `RESET SLAVE ${quoteText(channel)} ALL`,
    begin: (log, applied) => {
      const position = positionOf(log, applied)
      return position === null ? null : [`SET GLOBAL gtid_slave_pos = ${quoteText(position)}`]
    },
    follow: (channel, source) =>
      `CHANGE MASTER ${quoteText(channel)} TO ${sourceAssignments('MASTER', source)}, MASTER_USE_GTID=slave_pos`,
    // Under the lock the server can set no gtid_slave_pos, which is a table; current_pos needs none.
    followLocked: (source) => [
      `CHANGE MASTER '' TO ${sourceAssignments('MASTER', source)}, MASTER_USE_GTID=current_pos`,
      "START SLAVE ''",
    ],
    // With current_pos, each later write of an administrator there would count as part of the primary's history.
    // The position under the lock counts, with what was applied since: some were written here as soon as it was gone.
    afterLocked: (row, positions) => {
      if (text(row, 'Using_Gtid') !== 'Current_Pos') return []
      const position = positions ? furthestOf(positions.locked, positions.applied) : null
      const value = position === null ? '@@GLOBAL.gtid_current_pos' : quoteText(position)
      return [`SET GLOBAL gtid_slave_pos = ${value}`]
    },
    longestPassword: 96,
  },
}
