import type { DatabaseType } from '../../contracts/serverSettings.ts'

/** The kind of server that says this of its version: MariaDB names itself, MySQL and what is made of it do not. */
export const databaseTypeOf = (version: string): DatabaseType =>
  /mariadb/i.test(version) ? 'mariadb' : 'mysql'
