/** One finished call: the route's path as the table writes it, `unmatched` where there is none. */
export type CountedCall = { readonly route: string; readonly method: string; readonly status: number }

export type RequestCounts = {
  count(call: CountedCall): void
  entries(): readonly (CountedCall & { readonly count: number })[]
}

const known = new Set(['GET', 'HEAD', 'POST', 'OPTIONS', 'PUT', 'DELETE', 'PATCH'])

/** Counts calls by route, method and status; a method that nobody defines counts as `other`. */
export function createRequestCounts(): RequestCounts {
  const counts = new Map<string, CountedCall & { count: number }>()
  return {
    count({ route, method, status }) {
      const call = { route, method: known.has(method) ? method : 'other', status }
      const key = Object.values(call).join(' ')
      const entry = counts.get(key) ?? { ...call, count: 0 }
      entry.count += 1
      counts.set(key, entry)
    },
    entries: () => [...counts.values()],
  }
}

type Family = {
  readonly name: string
  readonly type: 'gauge' | 'counter'
  readonly help: string
  readonly samples: readonly { readonly labels?: Readonly<Record<string, string>>; readonly value: number }[]
}

const escaped = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')

function lines({ name, type, help, samples }: Family): readonly string[] {
  return [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} ${type}`,
    ...samples.map(({ labels, value }) => {
      const pairs = Object.entries(labels ?? {}).map(([label, text]) => `${label}="${escaped(text)}"`)
      return `${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${value}`
    }),
  ]
}

/** Measurements in the text format of Prometheus, version 0.0.4. Families without samples are left out. */
export const formatMetrics = (families: readonly Family[]): string =>
  `${families
    .filter(({ samples }) => samples.length > 0)
    .flatMap((family) => lines(family))
    .join('\n')}\n`
