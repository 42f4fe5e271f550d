/** Measurements of one name. A component's own begin with `muster_` and its name. */
export type MetricFamily = {
  readonly name: string
  readonly type: 'gauge' | 'counter' | 'histogram'
  readonly help: string
  readonly samples: readonly {
    /** What a histogram adds to the name. */
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
