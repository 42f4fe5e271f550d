import { isDeepStrictEqual } from 'node:util'
import { listOf, shortListOf } from '../../base/words.ts'
import type { Diagnostic } from '../../diagnostics/diagnostic.ts'
import { finding } from '../../diagnostics/finding.ts'
import { Secret } from '../../secrets/secret.ts'
import { groupBySpan, type ResolvedCluster, type ResolvedHost } from '../resolve/resolved.ts'
import type { Given } from '../settings/setting.ts'

const isSame = (a: unknown, b: unknown): boolean => isDeepStrictEqual(revealed(a), revealed(b))

/** Compares secrets by value; the copies exist only for the comparison. */
function revealed(value: unknown): unknown {
  if (value instanceof Secret) return value.reveal()
  if (Array.isArray(value)) return value.map((item) => revealed(item))
  if (typeof value !== 'object' || value === null) return value
  const parts = Object.entries(value).filter(([key]) => key !== 'span')
  return Object.fromEntries(parts.map(([key, part]) => [key, revealed(part)]))
}

type Conflict = {
  readonly host: ResolvedHost
  readonly given: Given
  readonly earlier: Given
  readonly services: string[]
}

function conflictsOf(host: ResolvedHost): (Conflict & { span: Given['span'] })[] {
  const first = new Map<string, { given: Given; service: string }>()
  return host.services.flatMap((service) =>
    [...service.options.values()].flatMap((given) => {
      const { name } = given.setting
      const earlier = first.get(name)
      if (earlier === undefined) {
        first.set(name, { given, service: service.name })
        return []
      }
      const isOverridden = host.draft.options.has(name) || host.option(given.setting).origin === 'set'
      if (isOverridden || isSame(earlier.given.value, given.value)) return []
      const services = [earlier.service, service.name]
      return [{ host, given, earlier: earlier.given, services, span: given.span }]
    }),
  )
}

const serviceConflict = finding(
  'service-conflict',
  (facts: { name: string; hosts: readonly string[]; services: readonly string[] }) => ({
    message: `The services ${listOf(facts.services)} give ${facts.name} different values for ${shortListOf(facts.hosts)}.`,
    why: 'A host can have one value, and neither service takes precedence.',
    fix: 'Set the value in the options of the host, which override those of its services.',
  }),
)

/** Finds options with different values from two services of a host, unless the host sets them itself. */
export function serviceConflicts({ hosts }: ResolvedCluster): readonly Diagnostic[] {
  return groupBySpan(hosts.flatMap(conflictsOf)).map((group) => {
    const [{ given, earlier, services, span }] = group
    const related = [{ message: `${services[0]} gives it here.`, span: earlier.span }]
    const facts = { name: given.setting.name, hosts: group.map(({ host }) => host.name), services }
    return serviceConflict(facts, { span, related })
  })
}
