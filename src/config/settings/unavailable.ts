/** Options of the product family that nothing here acts on yet: giving one is an error that says so. */
export const unavailableOptions: readonly string[] = [
  'datasource-type',
  'replication-user',
  'replication-password',
  'replication-host',
  'replication-port',
  'monitor-user',
  'monitor-password',
  'application-port',
  'application-readonly-port',
  'application-address',
  'connector-max-held',
  'connector-max-hold',
  'connector-drain-timeout',
]

/** The same for the keys of `ssh`. */
export const unavailableSsh: readonly string[] = ['jump', 'config']
