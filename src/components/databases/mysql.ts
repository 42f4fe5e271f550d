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
import { readMysqlGtids } from './gtidSet.ts'

/**
 * Returns the highest number of one server in a set such as `uuid:1-5:7,\nuuid:tag:1-3` (MySQL 8.4 Reference Manual,
 * "GTID Format and Storage"); null where the set has none of it. Numbers behind a tag count on their own and
 * are left out.
 */
function sequenceOf(gtids: string, server: string | null | undefined): number | null {
  const numbers = gtids.split(',').flatMap((part) => {
    const [uuid = '', ...intervals] = part.trim().split(':')
    if (uuid.toLowerCase() !== server?.toLowerCase()) return []
    const tag = intervals.findIndex((it) => !/^\d+(-\d+)?$/.test(it))
    return intervals.slice(0, tag < 0 ? undefined : tag).map((it) => Number(it.split('-').at(-1)))
  })
  return numbers.length === 0 ? null : Math.max(...numbers)
}

function readChannel(row: Row): Channel {
  return {
    name: text(row, 'Channel_Name'),
    source: { host: text(row, 'Source_Host'), port: Number(text(row, 'Source_Port')) },
    sourceId: sourceId(row, 'Source_Server_Id'),
    receiver: receiver(row, 'Replica_IO_Running'),
    receiverError: threadError(row, 'Last_IO'),
    applier: applier(row, 'Replica_SQL_Running'),
    applierError: threadError(row, 'Last_SQL'),
    secondsBehind: numberOrNull(row, 'Seconds_Behind_Source'),
    received: logPosition(row, ['Source_Log_File', 'Read_Source_Log_Pos']),
    applied: logPosition(row, ['Relay_Source_Log_File', 'Exec_Source_Log_Pos']),
    sequence: sequenceOf(text(row, 'Executed_Gtid_Set'), row.Source_UUID),
    byGtid: text(row, 'Auto_Position') === '1',
    receivedGtids: readMysqlGtids(text(row, 'Retrieved_Gtid_Set')),
    delay: delay(row),
    tls: replicationTls(row, 'Source_SSL'),
  }
}

/**
 * MySQL from 8.4 on has only the words REPLICA and SOURCE (MySQL 8.4 Reference Manual, "SHOW REPLICA STATUS
 * Statement", "SHOW BINARY LOG STATUS Statement", "SQL Statements for Controlling Replica Servers").
 */
export const mysql: Dialect = {
  title: 'MySQL',
  channels: 'SHOW REPLICA STATUS',
  readChannel,
  position: ['SHOW BINARY LOG STATUS', 'SELECT @@GLOBAL.server_uuid AS server'],
  readPosition: (log, more) => ({
    written: `${text(log, 'File')}:${text(log, 'Position')}`,
    sequence: sequenceOf(text(log, 'Executed_Gtid_Set'), more.server),
  }),
  gtids: 'SELECT @@GLOBAL.gtid_executed AS executed, @@GLOBAL.server_uuid AS server',
  readGtids: (row) => readMysqlGtids(text(row, 'executed')),
  start: (channel) => `START REPLICA FOR CHANNEL ${quoteText(channel)}`,
  stop: (channel) => `STOP REPLICA FOR CHANNEL ${quoteText(channel)}`,
  reset: (channel) => `RESET REPLICA FOR CHANNEL ${quoteText(channel)}`,
  switching: {
    session: ['SET SESSION max_execution_time = 0, lock_wait_timeout = 1'],
    sessions: (leftOut) =>
      'SELECT ID AS id, USER AS user, COMMAND AS command, TIME * 1000 AS milliseconds, 0 AS misleads ' +
      'FROM performance_schema.processlist WHERE ID <> CONNECTION_ID() ' +
      "AND COMMAND NOT IN ('Binlog Dump', 'Binlog Dump GTID', 'Daemon') " +
      `AND NOT (USER = 'system user' AND HOST = '')${leftOut.map((user) => ` AND USER <> ${quoteText(user)}`).join('')}`,
    transactions:
      "SELECT threads.PROCESSLIST_ID AS id, CONCAT(event.THREAD_ID, '-', event.EVENT_ID) AS number, " +
      'FLOOR(COALESCE(event.TIMER_WAIT, 0) / 1000000000000) AS seconds ' +
      'FROM performance_schema.events_transactions_current AS event ' +
      "JOIN performance_schema.threads AS threads USING (THREAD_ID) WHERE event.STATE = 'ACTIVE' " +
      'AND threads.PROCESSLIST_ID IS NOT NULL',
    status: null,
    kill: (ids) => ids.map((id) => `KILL CONNECTION ${id}`),
    scope: 'PERSIST',
    // Each includes the other one at once, but not in what is kept (MySQL 8.4 Reference Manual, "super_read_only", "Persisted
    // System Variables"). A writer starts read-only, too: another one may have taken its place meanwhile.
    setReadOnly: (is) => [
      'SET PERSIST read_only = 1, PERSIST super_read_only = 1',
      ...(is ? [] : ['SET GLOBAL super_read_only = 0, GLOBAL read_only = 0']),
    ],
    // super_read_only binds every account and event (same page).
    commitLock: null,
    eventScheduler: null,
    disabledEvents,
    written: "SELECT @@GLOBAL.gtid_executed AS log, '' AS applied",
    waitFor: (gtids, seconds) =>
      `SELECT WAIT_FOR_EXECUTED_GTID_SET(${quoteText(gtids)}, ${seconds}) AS result`,
    stopAll: 'STOP REPLICA',
    stopReceiver: (channel) => `STOP REPLICA IO_THREAD FOR CHANNEL ${quoteText(channel)}`,
    startAll: 'START REPLICA',
    forget: (channel) => `RESET REPLICA ALL FOR CHANNEL ${quoteText(channel)}`,
    // What it has executed is what it has, whoever wrote it.
    begin: () => [],
    follow: (channel, source) => {
      // From 8.4 on ten attempts are the default, so a source that is away for a minute would be given up for good.
      const retries = source.account ? ', SOURCE_RETRY_COUNT=86400' : ''
      // Without TLS, caching_sha2_password needs the key of the source ("GET_SOURCE_PUBLIC_KEY").
      const key = source.account && !source.tls ? ', GET_SOURCE_PUBLIC_KEY=1' : ''
      const values = `${sourceAssignments('SOURCE', source)}, SOURCE_AUTO_POSITION=1${retries}${key}`
      return `CHANGE REPLICATION SOURCE TO ${values} FOR CHANNEL ${quoteText(channel)}`
    },
    followLocked: () => [],
    afterLocked: () => [],
    longestPassword: 32,
  },
}
