import type { MetricFamily } from './formatMetrics.ts'

/** One finished call: the route's path as the table writes it, `unmatched` where there is none. */
export type CountedCall = {
  readonly route: string
  readonly method: string
  readonly status: number
  /** From its first byte to the end of its answer. */
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
type Tally = { readonly labels: Labels; calls: number; seconds: number; readonly buckets: number[] }

/** Counts calls by route, method and status, and how long they took; a method that nobody defines is `other`. */
export function createRequestCounts(): RequestCounts {
  const byStatus = new Map<string, Tally>()
  const byRoute = new Map<string, Tally>()

  const tallyOf = (tallies: Map<string, Tally>, labels: Labels): Tally => {
    const key = Object.values(labels).join(' ')
    const tally = tallies.get(key) ?? { labels, calls: 0, seconds: 0, buckets: bounds.map(() => 0) }
    tallies.set(key, tally)
    return tally
  }

  const durations = ({ labels, calls, seconds, buckets }: Tally): MetricFamily['samples'] => [
    ...bounds.map((bound, index) => ({
      suffix: '_bucket',
      labels: { ...labels, le: String(bound) },
      value: buckets[index] ?? 0,
    })),
    { suffix: '_bucket', labels: { ...labels, le: '+Inf' }, value: calls },
    { suffix: '_sum', labels, value: seconds },
    { suffix: '_count', labels, value: calls },
  ]

  return {
    count({ route, method, status, seconds }) {
      const labels = { route, method: known.has(method) ? method : 'other' }
      tallyOf(byStatus, { ...labels, status: String(status) }).calls += 1
      const tally = tallyOf(byRoute, labels)
      tally.calls += 1
      tally.seconds += seconds
      // Each bucket holds those below it, too.
      for (const [index, bound] of bounds.entries()) {
        if (seconds <= bound) tally.buckets[index] = (tally.buckets[index] ?? 0) + 1
      }
    },
    families: () => [
      {
        name: 'muster_http_requests_total',
        type: 'counter',
        help: 'Finished calls by route, method and status.',
        samples: [...byStatus.values()].map(({ labels, calls }) => ({ labels, value: calls })),
      },
      {
        name: 'muster_http_request_duration_seconds',
        type: 'histogram',
        help: 'Seconds from the first byte of a call to the end of its answer, by route and method.',
        samples: [...byRoute.values()].flatMap((tally) => durations(tally)),
      },
    ],
  }
}
