import { itemsOf, memberOf } from '../../base/json.ts'
import { listOf, shortListOf } from '../../base/words.ts'
import type { CommandContext } from '../../cli/context.ts'
import { UsageError } from '../../cli/usageError.ts'
import type { HostFacts } from '../../deployment/facts/hostFacts.ts'
import { recordedMachines } from '../../deployment/hostIdentity.ts'
import type { ClusterState } from '../../deployment/state/clusterState.ts'
import { StepError } from '../../deployment/stepError.ts'
import type { Survey } from '../../deployment/survey.ts'
import { hostInPlaceOf, leftHosts, unknownWay, waysTo } from '../leftHosts.ts'
import { observeCluster } from '../observeCluster.ts'
import { removalOf } from '../removal.ts'
import type { RunPlan } from '../runPlan.ts'
import type { SelectedCluster } from '../selectTargets.ts'

/** Decision about the hosts that left the file; nothing is changed yet. */
type Pruning = {
  /** Uninstalls those that were reached, once all hosts of the file have changed. */
  readonly work: RunPlan['work']
  /** Those whose place a host of the file has: they are forgotten, and nothing is removed there. */
  readonly renamed: readonly string[]
  /** Notes at the top of the plan. */
  readonly notes: readonly string[]
  /** A sentence for each host that stays as it is. */
  readonly kept: readonly string[]
}

/** Throws a `UsageError` for --prune with a part of the hosts, or with a saved plan. */
export function requirePrunable(config: SelectedCluster, { plan }: { readonly plan: boolean }): void {
  if (plan) {
    throw new UsageError(
      '--prune cannot be used with a saved plan, which has the hosts of the file only.',
      'Apply the plan first, then run `muster install --prune`.',
    )
  }
  if (config.excluded.length === 0) return
  throw new UsageError(
    '--prune changes all hosts, which must not know a host any more that is taken out; only some hosts are selected.',
    'Leave out --host, --service and --shard.',
  )
}

/** Returns the hosts that left the file, to be surveyed, without those whose place a host of the file has. */
export const prunedHosts = (config: SelectedCluster, state: ClusterState) => ({
  hosts: waysTo(
    leftHosts(config, state).filter((name) => hostInPlaceOf(name, { config, state }) === undefined),
    { config, state, asksForSudo: true },
  ),
  machines: recordedMachines(state),
})

/**
 * Decides what happens to each host that left the file, and refuses to take out the primary of a service. `left` is the
 * survey of `prunedHosts`, `survey` that of the hosts of the file.
 */
export async function decidePruning(options: {
  readonly context: Pick<CommandContext, 'now' | 'forks'>
  readonly config: SelectedCluster
  readonly state: ClusterState
  readonly survey: Survey
  readonly left: Survey
}): Promise<Pruning | { readonly problems: readonly StepError[] }> {
  const { config, state, left } = options
  const names = leftHosts(config, state)
  const primaries = await primariesAmong(names, options)
  if (primaries.length > 0) return { problems: primaries }
  const removal = removalOf(config, left.reached)
  if ('problems' in removal) return removal
  const reached = left.reached.map(({ host }) => host.name)
  const places = names.flatMap((name) => {
    const host = hostInPlaceOf(name, { config, state })
    return host === undefined ? [] : [{ name, host: host.name }]
  })
  const renamed = places.map(({ name }) => name)
  const away = names.filter((name) => !reached.includes(name) && !renamed.includes(name))
  const empty = removal.work.filter(({ steps }) => steps.length === 0).map(({ host }) => host)
  const removed = reached.filter((name) => !empty.includes(name))
  return {
    work: removal.work.map((one) => ({ ...one, last: true })),
    renamed,
    notes: [
      ...(removed.length === 0
        ? []
        : [
            `take out ${shortListOf(removed, 8)}, after the other hosts no longer know ${removed.length === 1 ? 'it' : 'them'}`,
          ]),
      ...(empty.length === 0 ? [] : [`forget ${shortListOf(empty, 8)}: nothing is installed there`]),
      ...places.map(({ name, host }) => `forget ${name}: ${host} has its address and install-directory`),
    ],
    kept: away.map((name) => {
      const why = left.unreachable.find(({ host }) => host.name === name)?.failure.message ?? unknownWay
      return `${name} left the file and is not taken out: ${why}. If it is gone for good: muster forget ${name}`
    }),
  }
}

/** Reports hosts that are the primary of a service, by the word of any manager or, where none responds, of the last installation. */
async function primariesAmong(
  names: readonly string[],
  around: Parameters<typeof decidePruning>[0],
): Promise<readonly StepError[]> {
  if (names.length === 0) return []
  const observed = await observeCluster(around)
  const seen = observed.flatMap(({ report }) => report?.services ?? [])
  const told = seen.flatMap(({ name: service, writer, datasources }) => {
    const primaries = datasources.filter(({ role }) => role === 'primary').map(({ name }) => name)
    return [...primaries, ...(writer.datasource === null ? [] : [writer.datasource])].map((name) => ({
      service,
      name,
      asked: true,
    }))
  })
  // A service that left the file as a whole goes with its primary.
  const kept = around.config.services.map(({ name }) => name)
  const asked = new Set(seen.map(({ name }) => name))
  const installed = [...around.survey.reached, ...around.left.reached]
    .flatMap(({ facts }) => installedPrimaries(facts))
    .filter(({ service }) => kept.includes(service) && !asked.has(service))
    .map((one) => ({ ...one, asked: false }))
  return names.flatMap((host) => {
    const of = [...told, ...installed].filter(({ name }) => name === host)
    const [first] = of
    if (first === undefined) return []
    const services = listOf([...new Set(of.map(({ service }) => service))])
    const message = first.asked
      ? `${host} left the file, but it is the primary of ${services}`
      : `${host} left the file, but it was the primary of ${services} at the last installation, and no manager responds`
    return [
      new StepError({
        host,
        code: 'primary-left',
        message,
        fix: `Put ${host} back into the file, make another server the primary with \`muster switch\`, then take ${host} out again.`,
      }),
    ]
  })
}

/** Returns the primaries that the installed manager of a host was given. */
function installedPrimaries({
  installation,
}: HostFacts): readonly { readonly service: string; readonly name: string }[] {
  const services = itemsOf(memberOf(memberOf(installation.settings.get('manager'), 'services'), 'services'))
  return services.flatMap((of) => {
    const service = memberOf(of, 'name')
    const primary = itemsOf(memberOf(of, 'datasources')).find((one) => memberOf(one, 'role') === 'primary')
    const name = memberOf(primary, 'name')
    return typeof service === 'string' && typeof name === 'string' ? [{ service, name }] : []
  })
}

/**
 * Returns a sentence about managers that still have a data source of a host that was taken out: a map that somebody
 * changed through an API outlives an installation. Undefined if none has.
 */
export async function mappedStill(
  names: readonly string[],
  around: Parameters<typeof observeCluster>[0],
): Promise<string | undefined> {
  if (names.length === 0) return undefined
  const having = (await observeCluster(around)).flatMap(({ report }) => {
    const sources = report?.services.flatMap(({ datasources }) => datasources.map(({ name }) => name)) ?? []
    const found = names.filter((name) => sources.includes(name))
    return report === undefined || found.length === 0 ? [] : [{ host: report.host, found }]
  })
  if (having.length === 0) return undefined
  const sources = listOf(names.filter((name) => having.some(({ found }) => found.includes(name))))
  const hosts = having.map(({ host }) => host)
  const are = sources.includes(' and ') ? 'are still data sources' : 'is still a data source'
  return `${sources} ${are} of the ${hosts.length === 1 ? 'manager' : 'managers'} of ${shortListOf(hosts, 8)}, whose map was changed through an API. To use the map of the file there: tapi map reset`
}
