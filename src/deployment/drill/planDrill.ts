import { joinReports, type ManagerReport } from '../../client/clusterView.ts'
import type { ClusterConfig, HostConfig } from '../../config/model.ts'
import { type DrillFault, type DrillSight, drillName } from '../../contracts/drilling.ts'

/** A reason against a drill; without a host it is one of the whole service. */
export type DrillRefusal = { readonly host: string | null; readonly reason: string; readonly fix: string }

type Address = { readonly name: string; readonly address: string }

/** A drill that can be made. */
export type DrillPlan = {
  readonly service: string
  readonly fault: DrillFault
  /** Host of the fault. */
  readonly host: string
  /** Host of the primary. */
  readonly primary: string
  /** Hosts with a server of the service. */
  readonly servers: readonly string[]
  /** Those of which the managers make one the primary, where the fault is that of the primary. */
  readonly candidates: readonly string[]
  /** The other hosts of the service by all their addresses, for a fault that cuts them off. */
  readonly others: readonly Address[]
  /** Host whose connector the rows go through, and its port. */
  readonly through: { readonly host: string; readonly port: number }
  /** True where the server of the fault may come back with transactions of its own, which were acknowledged to nobody. */
  readonly mayStayAway: boolean
  /** True where a ledger of an earlier drill is removed first. */
  readonly hasRemains: boolean
}

/** Lists why a service is not whole: what its managers say of it. */
export function flawsOf(service: string, reports: readonly ManagerReport[]): readonly DrillRefusal[] {
  const flaws: DrillRefusal[] = []
  const look = 'Look with `muster status`, and repair it first.'
  const add = (host: string | null, reason: string, fix = look): void => {
    // Several managers may say the same.
    if (flaws.every((it) => it.host !== host || it.reason !== reason)) flaws.push({ host, reason, fix })
  }
  for (const { host, reason } of reports) {
    if (reason !== undefined) add(host, `its manager did not report: ${reason}`)
  }
  const view = joinReports(reports).find(({ name }) => name === service)
  if (!view) {
    add(null, 'no manager reports it')
    return flaws
  }
  for (const host of view.unknownTo) add(host, `its manager does not know the service ${service}`)
  for (const { name, state, reason, managersAgree } of view.datasources) {
    if (state !== 'ONLINE') add(name, `it is ${state}${reason === null ? '' : `: ${reason}`}`)
    else if (!managersAgree) add(name, 'the managers see it in different states')
  }
  const seen = reports.flatMap(({ services }) => services.filter(({ name }) => name === service))
  for (const { writer, failover } of seen) {
    const { datasource, reason, switching } = writer
    if (switching) add(null, `a switch from ${switching.from} to ${switching.to} is under way`)
    else if (datasource === null) add(null, `it has no writer: ${reason ?? 'no reason given'}`)
    if (failover === null)
      add(null, 'its managers do not tell what they would do', 'Upgrade them: `muster upgrade`.')
    else if (!failover.automatic) {
      const why = failover.reason ?? 'no reason given'
      const fix =
        'Set it up as the guide says in "To lose nothing": without it the drill would only be an outage.'
      add(null, `the managers would not replace a lost primary by themselves: ${why}`, fix)
    }
  }
  if (!view.managersAgree) add(null, 'its managers differ about the writer or the policy')
  return flaws
}

/** Returns all addresses of the hosts of a service but this one: its own, and those of its servers. */
export function othersOf(
  name: string,
  { service, hosts, services }: Pick<ClusterConfig, 'hosts' | 'services'> & { readonly service: string },
): readonly Address[] {
  const servers = services.find((it) => it.name === service)?.datasources ?? []
  const all = [
    ...hosts.map((host) => ({ name: host.name, address: host.address })),
    ...servers.map((server) => ({ name: server.name, address: server.host })),
  ]
  return all.filter(
    (it, at) => it.name !== name && all.findIndex(({ address }) => address === it.address) === at,
  )
}

/** Returns the plan of a drill, or why it is refused. `sights` are of the hosts with a server, by name. */
export function planDrill(options: {
  readonly service: string
  readonly fault: DrillFault
  /** Null for that of the primary. */
  readonly host: string | null
  /** Hosts of the service. */
  readonly hosts: readonly HostConfig[]
  readonly services: ClusterConfig['services']
  readonly reports: readonly ManagerReport[]
  readonly sights: ReadonlyMap<string, DrillSight | Pick<DrillRefusal, 'reason' | 'fix'>>
}): DrillPlan | readonly DrillRefusal[] {
  const { service, fault, hosts, reports, sights } = options
  const refusals = [...flawsOf(service, reports)]
  const view = joinReports(reports).find(({ name }) => name === service)
  const primary = view?.writer?.datasource ?? null
  const host = options.host ?? primary
  if (primary === null || host === null || !view) return refusals
  const add = (at: string | null, reason: string, fix: string): void =>
    void refusals.push({ host: at, reason, fix })
  const others = view.datasources.filter(({ name }) => name !== host)
  if (others.length === view.datasources.length) {
    add(host, `it has no database of ${service}`, 'Name a host that has one.')
  }
  if (host !== primary && others.length < 2) {
    add(host, `it is the only replica, for which all commits of ${primary} would wait`, 'Have two replicas.')
  }
  const connector = hosts.find(({ name, proxy }) => name !== host && proxy?.service === service)
  if (!connector?.proxy) {
    add(null, `no host but ${host} has a connector that leads to it`, 'Install a connector on another host.')
  }
  for (const [name, sight] of sights) {
    if ('reason' in sight) {
      add(name, sight.reason, sight.fix)
      continue
    }
    const { ledger, refusal } = sight
    if (ledger === 'foreign') {
      const fix = `Rename or remove them: the drill uses this name.`
      add(name, `its server has a database or an account ${drillName} that no drill has made`, fix)
    }
    if (name === host && refusal !== undefined) add(name, refusal, 'Choose another fault or another host.')
  }
  if (refusals.length > 0 || !connector?.proxy) return refusals
  const struck = sights.get(host)
  const isMysql = struck !== undefined && 'database' in struck && struck.database === 'mysql'
  return {
    ...{ service, fault, host, primary, servers: view.datasources.map(({ name }) => name) },
    others: othersOf(host, options),
    candidates: others.filter(({ role }) => role === 'replica' || role === 'standby').map(({ name }) => name),
    mayStayAway: isMysql && host === primary && fault === 'kill',
    through: { host: connector.name, port: connector.proxy.port },
    hasRemains: [...sights.values()].some((sight) => 'ledger' in sight && sight.ledger === 'own'),
  }
}
