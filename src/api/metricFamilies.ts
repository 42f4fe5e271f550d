/** Measurements of one name. A component's own begin with `muster_` and its name. */
export type MetricFamily = {
  readonly name: string
  readonly type: 'gauge' | 'counter' | 'histogram'
  readonly help: string
  readonly samples: readonly {
    /** Suffix that a histogram adds to the name. */
    readonly suffix?: string
    readonly labels?: Readonly<Record<string, string>>
    readonly value: number
  }[]
}

/** A family with one sample, which has no labels. */
export const single = (facts: Omit<MetricFamily, 'samples'> & { readonly value: number }): MetricFamily => {
  const { value, ...family } = facts
  return { ...family, samples: [{ value }] }
}

const escapedHelp = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
const escapedLabel = (text: string): string => escapedHelp(text).replaceAll('"', '\\"')

/** A number as Prometheus reads it. */
const number = (value: number): string => String(value).replace('Infinity', 'Inf')

function lines({ name, type, help, samples }: MetricFamily): readonly string[] {
  return [
    `# HELP ${name} ${escapedHelp(help)}`,
    `# TYPE ${name} ${type}`,
    ...samples.map(({ suffix = '', labels, value }) => {
      const pairs = Object.entries(labels ?? {}).map(([label, text]) => `${label}="${escapedLabel(text)}"`)
      return `${name}${suffix}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${number(value)}`
    }),
  ]
}

/** Measurements in the text format of Prometheus, version 0.0.4. Families without samples are left out. */
export const formatMetrics = (families: readonly MetricFamily[]): string =>
  `${families
    .filter(({ samples }) => samples.length > 0)
    .flatMap((family) => lines(family))
    .join('\n')}\n`

/** One finished call: the route's path as the table writes it, `unmatched` where there is none. */
type CountedCall = {
  readonly route: string
  readonly method: string
  readonly status: number
  /** From its first byte until its response was handed over. */
  readonly seconds: number
}

export type RequestCounts = {
  count(call: CountedCall): void
  families(): readonly MetricFamily[]
}

const known = new Set(['GET', 'HEAD', 'POST', 'OPTIONS', 'PUT', 'DELETE', 'PATCH'])

/** Upper bounds of the histogram's buckets, in seconds. */
const bounds: readonly number[] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

type Labels = Readonly<Record<string, string>>

/** The calls of one method of one route. */
type Tally = {
  readonly labels: Labels
  calls: number
  seconds: number
  readonly byStatus: Map<number, number>
  /** Number of calls that took longer than the bound before and no longer than this one. */
  readonly buckets: number[]
}

const newTally = (route: string, method: string): Tally => ({
  labels: { route, method },
  calls: 0,
  seconds: 0,
  byStatus: new Map(),
  buckets: bounds.map(() => 0),
})

/** Counts calls by route, method and status, and how long they took; a method that nobody defines is `other`. */
export function createRequestCounts(): RequestCounts {
  const byRoute = new Map<string, Map<string, Tally>>()

  // Maps within maps: a text made of both would cost each call more than all the rest here.
  const tallyOf = (route: string, method: string): Tally => {
    const byMethod = byRoute.get(route) ?? new Map<string, Tally>()
    const tally = byMethod.get(method) ?? newTally(route, method)
    if (tally.calls === 0) byRoute.set(route, byMethod.set(method, tally))
    return tally
  }

  const durations = ({ labels, calls, seconds, buckets }: Tally): MetricFamily['samples'] => {
    let below = 0
    return [
      ...bounds.map((bound, index) => {
        below += buckets[index] ?? 0
        return { suffix: '_bucket', labels: { ...labels, le: String(bound) }, value: below }
      }),
      { suffix: '_bucket', labels: { ...labels, le: '+Inf' }, value: calls },
      { suffix: '_sum', labels, value: seconds },
      { suffix: '_count', labels, value: calls },
    ]
  }

  return {
    count({ route, method, status, seconds }) {
      const tally = tallyOf(route, known.has(method) ? method : 'other')
      tally.calls += 1
      tally.seconds += seconds
      tally.byStatus.set(status, (tally.byStatus.get(status) ?? 0) + 1)
      const bucket = bounds.findIndex((bound) => seconds <= bound)
      if (bucket >= 0) tally.buckets[bucket] = (tally.buckets[bucket] ?? 0) + 1
    },
    families: () => {
      const tallies = [...byRoute.values()].flatMap((byMethod) => [...byMethod.values()])
      return [
        {
          name: 'muster_http_requests_total',
          type: 'counter',
          help: 'Finished calls by route, method and status.',
          samples: tallies.flatMap(({ labels, byStatus }) =>
            [...byStatus].map(([status, value]) => ({
              labels: { ...labels, status: String(status) },
              value,
            })),
          ),
        },
        {
          name: 'muster_http_request_duration_seconds',
          type: 'histogram',
          help: 'Seconds from the first byte of a call to its response, by route and method.',
          samples: tallies.flatMap((tally) => durations(tally)),
        },
      ]
    },
  }
}
