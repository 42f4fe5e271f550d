import type { Row } from './connection.ts'
import {
  applier,
  type Channel,
  type Dialect,
  delay,
  logPosition,
  numberOrNull,
  quoteText,
  receiver,
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
}
