import type { Row } from '../../src/components/databases/connection.ts'

/** A row of SHOW ALL SLAVES STATUS as MariaDB 10.11 sends it for a replica that is up to date, less what nobody reads. */
export const mariadbReplica: Row = {
  Connection_name: '',
  Slave_SQL_State: 'Slave has read all relay log; waiting for more updates',
  Slave_IO_State: 'Waiting for master to send event',
  Master_Host: '10.0.0.11',
  Master_User: 'repl',
  Master_Port: '3306',
  Master_Log_File: 'bin.000002',
  Read_Master_Log_Pos: '1307',
  Relay_Log_File: 'relay-bin.000003',
  Relay_Log_Pos: '1375',
  Relay_Master_Log_File: 'bin.000002',
  Slave_IO_Running: 'Yes',
  Slave_SQL_Running: 'Yes',
  Last_Errno: '0',
  Last_Error: '',
  Exec_Master_Log_Pos: '1207',
  Seconds_Behind_Master: '3',
  Last_IO_Errno: '0',
  Last_IO_Error: '',
  Last_SQL_Errno: '0',
  Last_SQL_Error: '',
  Using_Gtid: 'Slave_Pos',
  Gtid_IO_Pos: '0-1-36',
  Gtid_Slave_Pos: '0-1-35',
  Master_Server_Id: '1',
  SQL_Delay: '0',
}

/** The same, put offline. */
export const mariadbOffline: Row = {
  ...mariadbReplica,
  Slave_IO_Running: 'No',
  Slave_SQL_Running: 'No',
  Seconds_Behind_Master: null,
}

/** The same, where the applier met a row that was there already. */
export const mariadbBroken: Row = {
  ...mariadbReplica,
  Slave_SQL_Running: 'No',
  Seconds_Behind_Master: null,
  Last_SQL_Errno: '1062',
  Last_SQL_Error: "Error 'Duplicate entry '100' for key 'PRIMARY'' on query.",
}

/** A row of SHOW REPLICA STATUS after the example of the MySQL 8.4 Reference Manual, with GTIDs. */
export const mysqlReplica: Row = {
  Replica_IO_State: 'Waiting for source to send event',
  Source_Host: '127.0.0.1',
  Source_User: 'root',
  Source_Port: '13000',
  Connect_Retry: '1',
  Source_Log_File: 'master-bin.000001',
  Read_Source_Log_Pos: '927',
  Relay_Log_File: 'slave-relay-bin.000002',
  Relay_Log_Pos: '1145',
  Relay_Source_Log_File: 'master-bin.000001',
  Replica_IO_Running: 'Yes',
  Replica_SQL_Running: 'Yes',
  Last_Errno: '0',
  Last_Error: '',
  Skip_Counter: '0',
  Exec_Source_Log_Pos: '927',
  Relay_Log_Space: '1355',
  Seconds_Behind_Source: '0',
  Last_IO_Errno: '0',
  Last_IO_Error: '',
  Last_SQL_Errno: '0',
  Last_SQL_Error: '',
  Source_Server_Id: '1',
  Source_UUID: '73f86016-978b-11ee-ade5-8d2a2a562feb',
  SQL_Delay: '0',
  SQL_Remaining_Delay: null,
  Replica_SQL_Running_State: 'Replica has read all relay log; waiting for more updates',
  Retrieved_Gtid_Set: '73f86016-978b-11ee-ade5-8d2a2a562feb:1-3',
  Executed_Gtid_Set:
    '3e11fa47-71ca-11e1-9e33-c80aa9429562:1-99,\n73f86016-978b-11ee-ade5-8d2a2a562feb:1-3:5-7:audit:1-500',
  Auto_Position: '1',
  Channel_Name: '',
}
