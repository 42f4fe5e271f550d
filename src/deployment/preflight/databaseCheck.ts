import { overlaps } from '../../base/address.ts'
import { isLocalAddress } from '../../config/resolve/dataSources.ts'
import { type Check, ok, type Subject, warning } from './checkContract.ts'

/** Returns true if a host's own database runs on the host itself. */
export const isDatabaseHere = ({ host, facts }: Pick<Subject, 'host' | 'facts'>): boolean => {
  const name = host.database?.host
  return name !== undefined && (isLocalAddress(name) || name === '::1' || facts.addresses.includes(name))
}

/**
 * Checks that something listens on the port of the host's own database. Opens no connection: MariaDB blocks a host
 * after a number of connections without login (`max_connect_errors`).
 */
export const databaseCheck: Check = {
  id: 'database',
  describe: ({ host, facts }) => {
    if (host.database === undefined) return ok('the file has no database for this host')
    const { host: name, port } = host.database
    if (!isDatabaseHere({ host, facts })) return ok(`not checked: ${name} port ${port} is not on this host`)
    const address = name === 'localhost' ? '127.0.0.1' : name
    const listens = facts.listeners.some(
      (listener) => listener.port === port && overlaps(listener.address, address),
    )
    if (listens) return ok(`something listens at ${name} port ${port}`)
    return warning(
      `nothing listens at ${name} port ${port}, the address of its database in the file`,
      'Start the database there, or correct replication-host and replication-port.',
    )
  },
}
