import { isHostName } from '../../base/address.ts'
import { listOf } from '../../base/words.ts'
import { hostFrom } from '../../config/ini/iniNames.ts'
import type { HostDiscovery, HostInstallation } from './discoverHost.ts'

/** A host as the operator named it. */
export type GivenHost = {
  /** Absent: the host's own name, or one made of its address. */
  readonly name?: string
  readonly address: string
  readonly user?: string
  readonly port?: number
}

/** A host with the name that it gets in the file. */
export type DiscoveredHost = HostDiscovery & {
  readonly name: string
  readonly given: GivenHost
  /** Its installation of the cluster. */
  readonly installation?: HostInstallation
  /** Sentences about its name and its installations. */
  readonly notes: readonly string[]
}

type Read = { readonly given: GivenHost; readonly discovery: HostDiscovery }

/** Returns the cluster that most hosts have an installation of; the first of equals. Each host has one vote for it. */
function clusterOf(read: readonly Read[]): string | undefined {
  const counts = new Map<string, number>()
  for (const { discovery } of read) {
    for (const cluster of new Set(discovery.installations.map(({ manifest }) => manifest.cluster))) {
      counts.set(cluster, (counts.get(cluster) ?? 0) + 1)
    }
  }
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0]
}

const same = (text: string): string => text.toLowerCase()

/** Name that only the operator decides. */
const certainName = ({ given }: Read): string => given.name ?? hostFrom(given.address).name

/** Name that a host wants, from the most to the least certain: only what the operator gave is certain. */
function wishOf(read: Read, installation: HostInstallation | undefined): string {
  const { given, discovery } = read
  if (given.name !== undefined) return given.name
  const { name, address } = hostFrom(given.address)
  const said = installation?.manifest.host ?? (address === undefined ? name : discovery.hostname)
  return isHostName(said) ? said : name
}

/**
 * Names the hosts and chooses their installation. A name that several hosts claim is given to none of them, so that no
 * host takes the place of another.
 */
export function nameDiscovered(
  read: readonly Read[],
  wanted: string | undefined,
): { readonly cluster: string; readonly installed: boolean; readonly hosts: readonly DiscoveredHost[] } {
  const known = clusterOf(read)
  const cluster = wanted ?? known ?? 'alpha'
  const wishes = read.map((one) => {
    const installation = one.discovery.installations.find(({ manifest }) => manifest.cluster === cluster)
    return { one, installation, wish: wishOf(one, installation) }
  })
  const hosts = wishes.map(({ one, installation, wish }, index): DiscoveredHost => {
    const { given, discovery } = one
    const isGiven = given.name !== undefined
    // Nor is it that of a host whose name from the operator may be needed.
    const others = wishes.filter(
      (other, at) =>
        at !== index && [other.wish, certainName(other.one)].some((claimed) => same(claimed) === same(wish)),
    )
    const name = isGiven || others.length === 0 ? wish : certainName(one)
    const other = discovery.installations.filter((it) => it !== installation)
    return {
      ...discovery,
      name,
      given,
      ...(installation === undefined ? {} : { installation }),
      notes: [
        ...(name === wish
          ? []
          : [`Not sure: several hosts say that they are ${wish}; this one is named after its address.`]),
        ...(installation !== undefined && installation.manifest.host !== name
          ? [
              `muster was installed there as the host ${installation.manifest.host}; install refuses another name.`,
            ]
          : []),
        ...(other.length === 0
          ? []
          : [
              `It has an installation of another cluster: ${listOf(other.map(({ manifest, folder }) => `${manifest.cluster} in ${folder}`))}.`,
            ]),
        ...(discovery.distrusted.length === 0
          ? []
          : [`${listOf(discovery.distrusted)} was not read: others than root can change it.`]),
      ],
    }
  })
  return { cluster, installed: hosts.some(({ installation }) => installation !== undefined), hosts }
}
