import { addressAndPort } from '../../base/address.ts'
import { itemsOf, memberOf } from '../../base/json.ts'
import { listOf } from '../../base/words.ts'
import type { DatabaseLogin } from '../../contracts/databaseAccounts.ts'
import type { MapDataSource, MapService } from '../../contracts/servicesMap.ts'
import { type Check, failure, ok, warning } from './checkContract.ts'

/** Compares the masters of the file with what the database servers say of themselves. */
export const masterCheck: Check = {
  id: 'master',
  describe: ({ host, facts }, { config, subjects, placeOfMaster }) => {
    const own = config.services.filter(({ datasources }) => nameOfMaster(datasources) === host.name)
    if (own.length === 0) return ok('the file names it as no master of databases')
    const logins = subjects.flatMap((one) => one.logins ?? [])
    const wrong = wrongMasters(own, logins)
    if (wrong.length > 0) {
      return wrong.flatMap((one) => {
        const { reason, fix } = wrongMasterText(one, placeOfMaster(one.service))
        // A file that was installed so may only be older than a switch.
        const installed = installedMaster(facts.installation.settings.get('manager'), one.service)
        return installed === one.master ? warning(reason, fix) : failure(reason, fix)
      })
    }
    const seen = own.filter((service) => readMaster(service, logins) !== undefined)
    const names = listOf(own.map(({ name }) => name))
    return seen.length < own.length
      ? ok(`not checked: no installed manager could read the database of the master of ${names}`)
      : ok(`its database follows no other: it is the master of ${names}`)
  },
}

/** A master of the file that is not the primary, by the words of its server. */
type WrongMaster = {
  readonly service: string
  readonly master: string
  /** Name or address of the server that it follows; absent: it is read-only. */
  readonly follows?: string
  /** The data source that takes the writes; absent if none could be read. */
  readonly primary?: string
}

/** Returns the services whose master in the file follows another server, or is read-only while another one is not. */
export const wrongMasters = (
  services: readonly MapService[],
  logins: readonly DatabaseLogin[],
): readonly WrongMaster[] =>
  services.flatMap((service): readonly WrongMaster[] => {
    const { name, datasources } = service
    const master = nameOfMaster(datasources)
    const server = readMaster(service, logins)
    if (master === undefined || server === undefined) return []
    const read = datasources.map((one) => ({ one, is: readingAt(one, logins) }))
    const writers = read.filter(({ is }) => is?.isWritable === true && is.follows.length === 0)
    const [writer] = writers
    const primary = writers.length === 1 ? writer?.one.name : undefined
    const known = { service: name, master, ...(primary !== undefined && { primary }) }
    const [source] = server.follows
    if (source !== undefined) {
      const follows = datasources.find((one) => placeOf(one) === source)?.name ?? source
      return [{ ...known, follows }]
    }
    return !server.isWritable && primary !== undefined ? [known] : []
  })

/** Writes a contradiction as a clause, and how to end it; `place` is the line of the file. */
export function wrongMasterText(
  { service, master, follows, primary }: WrongMaster,
  place: string,
): { readonly reason: string; readonly fix: string } {
  const is = follows === undefined ? 'is read-only' : `follows ${follows}`
  const writes =
    primary === undefined
      ? ''
      : primary === follows
        ? ', which takes the writes'
        : `, and ${primary} takes the writes`
  const correct = primary === undefined ? 'Name the primary there' : `Write master: ${primary} there`
  return {
    reason: `${place} names ${master} as the master of ${service}, but its database ${is}${writes}`,
    fix: `${correct}, or make ${master} the primary: muster switch --to ${master}`,
  }
}

const placeOf = ({ host, port }: MapDataSource): string => addressAndPort(host, port)

/** Returns the data source that the file names as the master. */
export const nameOfMaster = (datasources: readonly MapDataSource[]): string | undefined =>
  datasources.find(({ role }) => role === 'primary')?.name

/** Returns what the server of a data source says of itself; undefined if no account could read it. */
export const readingAt = (one: MapDataSource, logins: readonly DatabaseLogin[]): DatabaseLogin['server'] =>
  logins.find(({ place, server }) => server !== undefined && place === placeOf(one))?.server

/** Returns the master that the installed manager of a host was given; undefined if there is none, or no such service. */
export function installedMaster(settings: unknown, service: string): string | undefined {
  const services = itemsOf(memberOf(memberOf(settings, 'services'), 'services'))
  const found = services.find((one) => memberOf(one, 'name') === service)
  const primary = itemsOf(memberOf(found, 'datasources')).find((one) => memberOf(one, 'role') === 'primary')
  const name = memberOf(primary, 'name')
  return typeof name === 'string' ? name : undefined
}

function readMaster({ datasources }: MapService, logins: readonly DatabaseLogin[]): DatabaseLogin['server'] {
  const master = datasources.find(({ role }) => role === 'primary')
  return master && readingAt(master, logins)
}
