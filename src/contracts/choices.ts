/** pino's level names, most talkative first (option `log-level`). */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error'] as const

export type LogLevel = (typeof logLevels)[number]

/** The kinds of database server (option `datasource-type`). */
export const databaseTypes = ['mariadb', 'mysql'] as const

export type DatabaseType = (typeof databaseTypes)[number]
