import { canonicalAddress, isLoopback } from '../../base/address.ts'
import { listOf } from '../../base/words.ts'
import type { ClusterConfig, HostConfig } from '../../config/model.ts'
import {
  type Check,
  type CheckContext,
  failure,
  ok,
  type Subject,
  type Verdict,
  warning,
} from './checkContract.ts'

/** Checks how this host resolves the names of the other hosts; `own-name` checks its own. */
export const namesCheck: Check = {
  id: 'names',
  describe: (subject, context) => {
    const own = [subject.host.name, subject.host.address]
    const dialled = dialledNames(context.config, subject.host).filter((name) => !own.includes(name))
    const addressed = [...addressedNames(context.config)].filter(
      ([name]) => !own.includes(name) && !dialled.includes(name),
    )
    const verdicts = [
      ...dialled.flatMap((name) => checkDialled(name, subject, context)),
      ...addressed.flatMap(([name, address]) => checkAddressed(name, address, subject)),
    ]
    if (verdicts.length > 0) return verdicts
    return ok(dialled.length === 0 ? 'the file uses only IP addresses' : `it resolves ${listOf(dialled)}`)
  },
}

export const isName = (text: string): boolean => canonicalAddress(text) === undefined && text !== 'localhost'

/**
 * Returns the names that the components of a host connect to: those of the data sources, and of the host's own
 * database.
 */
export function dialledNames(config: ClusterConfig, host: HostConfig): readonly string[] {
  const sources = config.services.flatMap(({ datasources }) => datasources.map((source) => source.host))
  return [...new Set([...sources, ...(host.database === undefined ? [] : [host.database.host])])].filter(
    isName,
  )
}

/** Maximum number of names looked up on one host: a file of a thousand hosts must not flood the name servers. */
const maxLookups = 64

/** Returns the names to look up on a host, first those that it connects to. */
export const namesToResolve = (config: ClusterConfig, host: HostConfig): readonly string[] =>
  [...new Set([...dialledNames(config, host), ...addressedNames(config).keys()])].slice(0, maxLookups)

/** Returns the IP addresses in the file by host name: on every host the name should resolve to that address. */
const addressedNames = (config: ClusterConfig): ReadonlyMap<string, string> =>
  new Map(
    config.hosts.flatMap(({ name, address }) =>
      isName(name) && !isName(address) ? [[name, address] as const] : [],
    ),
  )

const fix = (name: string): string =>
  `Correct ${name} in DNS or in /etc/hosts there, or use IP addresses in the file.`

function checkDialled(name: string, { host, observed }: Subject, context: CheckContext): readonly Verdict[] {
  const here = observed.resolved.get(name)
  if (here === undefined) return []
  if (here.length === 0) {
    return failure(`it cannot resolve ${name}, which its components connect to`, fix(name))
  }
  if (here.some(isLoopback) && name !== host.database?.host) {
    return failure(`it resolves ${name} to ${listOf(here)}, but ${name} is another host`, fix(name))
  }
  const elsewhere = context.subjects.find(
    ({ observed: there, host: other }) =>
      other.name !== host.name &&
      resolvesDifferently(
        here,
        (there.resolved.get(name) ?? []).filter((one) => !isLoopback(one)),
      ),
  )
  if (elsewhere === undefined) return []
  const there = listOf(elsewhere.observed.resolved.get(name) ?? [])
  return warning(
    `it resolves ${name} to ${listOf(here)}, but ${elsewhere.host.name} resolves it to ${there}`,
    fix(name),
  )
}

function checkAddressed(name: string, address: string, { observed }: Subject): readonly Verdict[] {
  const here = observed.resolved.get(name) ?? []
  if (!resolvesDifferently(here, [address])) return []
  return warning(
    `it resolves ${name} to ${listOf(here)}, but its address in the file is ${address}`,
    fix(name),
  )
}

/** Returns true if both lists have addresses but none in common. */
function resolvesDifferently(one: readonly string[], other: readonly string[]): boolean {
  const known = new Set(one.map((address) => canonicalAddress(address)))
  return one.length > 0 && other.length > 0 && !other.some((address) => known.has(canonicalAddress(address)))
}
