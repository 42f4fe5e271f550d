import type { DatabaseType } from '../../contracts/choices.ts'
import type { Dialect } from './dialect.ts'
import { mariadb } from './mariadb.ts'
import { mysql } from './mysql.ts'

/** Returns the kind of server that says this of its version: MariaDB names itself, MySQL and what is made of it do not. */
export const databaseTypeOf = (version: string): DatabaseType =>
  /mariadb/i.test(version) ? 'mariadb' : 'mysql'

/** The dialect of each kind of server. */
export const dialects: Readonly<Record<DatabaseType, Dialect>> = { mariadb, mysql }
