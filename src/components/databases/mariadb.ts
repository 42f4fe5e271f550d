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
  }
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
}
