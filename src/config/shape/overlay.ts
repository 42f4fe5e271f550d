import type { Draft, HostDraft, ServiceDraft } from './draft.ts'
import type { Values } from './values.ts'

const over = (below: Values, above: Values): Values => new Map([...below, ...above])

const overService = (below: ServiceDraft, above: ServiceDraft): ServiceDraft => ({
  ...below,
  fields: over(below.fields, above.fields),
  options: over(below.options, above.options),
})

const overHost = (below: HostDraft, above: HostDraft): HostDraft => ({
  ...below,
  fields: over(below.fields, above.fields),
  ssh: over(below.ssh, above.ssh),
  options: over(below.options, above.options),
})

function overNamed<T>(
  below: ReadonlyMap<string, T>,
  above: ReadonlyMap<string, T>,
  both: (below: T, above: T) => T,
): ReadonlyMap<string, T> {
  const joined = new Map(below)
  for (const [name, value] of above) {
    const earlier = joined.get(name)
    joined.set(name, earlier === undefined ? value : both(earlier, value))
  }
  return joined
}

/** Lays a later file over an earlier one: groups are joined name by name, values and lists are replaced. */
export const overlay = (below: Draft, above: Draft): Draft => ({
  fields: over(below.fields, above.fields),
  defaults: over(below.defaults, above.defaults),
  ssh: over(below.ssh, above.ssh),
  services: overNamed(below.services, above.services, overService),
  hosts: overNamed(below.hosts, above.hosts, overHost),
  groups: new Map([...above.groups, ...below.groups]),
})
