import { UsageError } from '../../cli/usageError.ts'
import { type DataSourceRole, dataSourceRoles, type MapDataSource } from '../../contracts/servicesMap.ts'

/** TCP port of a MySQL or MariaDB server unless told. */
const defaultPort = 3306

const isRole = (word: string): word is DataSourceRole => (dataSourceRoles as readonly string[]).includes(word)

/**
 * Reads a data source as the command line writes it: `NAME=ROLE@HOST` or `NAME=ROLE@HOST:PORT`, an IPv6 address in
 * brackets. Throws a `UsageError`.
 */
export function readDataSource(written: string): MapDataSource {
  const [, name = '', role = '', bracketed, plain = '', port] =
    /^([^=]+)=([^@]+)@(?:\[([^\]]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/.exec(written) ?? []
  const number = port === undefined ? defaultPort : Number(port)
  if (name === '' || number < 1 || number > 65535) {
    throw new UsageError(
      `${JSON.stringify(written)} is not a data source.`,
      'Write it as NAME=ROLE@HOST:PORT, for example db4=replica@10.0.0.14:3306.',
    )
  }
  if (!isRole(role)) {
    throw new UsageError(
      `${JSON.stringify(role)} is not a role of a data source.`,
      `Use one of ${dataSourceRoles.join(', ')}.`,
    )
  }
  return { name, host: bracketed ?? plain, port: number, role }
}
