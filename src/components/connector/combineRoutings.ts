import type { RoutedService, Routing, Writer } from '../../contracts/routing.ts'

/** A manager and its word. */
export type HeardManager = { readonly name: string; readonly routing: Routing }

/** Managers that a reason names at most. */
const mostNamed = 8

type Claim = { readonly manager: string; readonly writer: string; readonly place: string }

const serviceOf = ({ services }: Routing, service: string): RoutedService | undefined =>
  services.find(({ name }) => name === service)

/** Returns which server a manager names as the writer of a service; the same name at another address is another. */
function claimOf({ name: manager, routing }: HeardManager, service: string): Claim[] {
  const { writer, datasources = [] } = serviceOf(routing, service) ?? {}
  const source = datasources.find(({ name }) => name === writer?.datasource)
  return source
    ? [{ manager, writer: source.name, place: `${source.name} ${source.host} ${source.port}` }]
    : []
}

function agreedWriter(writer: Writer, claims: readonly Claim[]): Writer {
  const isDisputed = claims.some(({ place }) => place !== claims[0]?.place)
  if (writer.datasource === null || !isDisputed) return writer
  const said = claims.map((it) => `${it.manager} says ${it.writer}`)
  const more = said.length - mostNamed
  const listed = [...said.slice(0, mostNamed), ...(more > 0 ? [`${more} more`] : [])].join(', ')
  const reason = `managers disagree: ${listed}`
  return { datasource: null, code: 'two-writers', reason, hold: true }
}

/** Returns the writer, but that clients wait where a manager holds them for a switch: hold and release reach them in turn. */
function writerDuringSwitch(writer: Writer, all: readonly HeardManager[], service: string): Writer {
  // A contradiction cuts connections; a switch lets them end.
  if (writer.code !== null || writer.switching) return writer
  const writers = all.map(({ routing }) => serviceOf(routing, service)?.writer)
  return writers.find((it) => it?.switching && it.datasource === null) ?? writer
}

/**
 * Returns the word of one manager, but without a writer where another one names another, or holds clients for a switch:
 * nobody writes to either until they agree.
 */
export const combineRoutings = (base: HeardManager, all: readonly HeardManager[]): Routing => ({
  services: base.routing.services.map((service) => {
    const claims = all.flatMap((manager) => claimOf(manager, service.name))
    const agreed = agreedWriter(service.writer, claims)
    return { ...service, writer: writerDuringSwitch(agreed, all, service.name) }
  }),
})
