/** pino's level names, most talkative first (option `log-level`). */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error'] as const

export type LogLevel = (typeof logLevels)[number]

/** The kinds of database server (option `datasource-type`). */
export const databaseTypes = ['mariadb', 'mysql'] as const

export type DatabaseType = (typeof databaseTypes)[number]

/** Reaction of a manager when another server was made the primary by other means (option `on-outside-change`). */
export const outsideChanges = ['follow', 'hold'] as const

export type OutsideChange = (typeof outsideChanges)[number]

/** Reasons against a switch that an operator may accept, by their words. */
export const acceptableReasons = [
  'filter',
  'binary-log-filter',
  'skipped-errors',
  'idempotent',
  'events',
] as const

export type AcceptableReason = (typeof acceptableReasons)[number]

/** How another data source becomes the primary: in place of one that answers, or of one that is lost. */
export const switchOperations = ['switch', 'failover'] as const

/** Steps of a switch and of a failover, in their order (contract.md, "Manager"). */
export const switchSteps = [
  'check',
  'hold',
  'drain',
  'freeze',
  'catch-up',
  'promote',
  'repoint',
  'release',
  'verify',
] as const
