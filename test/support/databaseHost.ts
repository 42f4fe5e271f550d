import type { DatabaseHost } from '../../src/deployment/provision.ts'

/** A host with what it says of its database. */
export const databaseHost = (name: string, database: Partial<DatabaseHost['database']> = {}): DatabaseHost =>
  ({
    reached: { host: { name } },
    database: {
      ...{ folder: '/srv/data', version: '10.11.19-MariaDB', bytes: 1000, free: 5000 },
      gtids: { written: '', primary: '1' },
      ...database,
    },
  }) as unknown as DatabaseHost
