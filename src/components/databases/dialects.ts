import type { DatabaseType } from '../../contracts/serverSettings.ts'
import type { Dialect } from './dialect.ts'
import { mariadb } from './mariadb.ts'
import { mysql } from './mysql.ts'

/** The dialect of each kind of server. */
export const dialects: Readonly<Record<DatabaseType, Dialect>> = { mariadb, mysql }
