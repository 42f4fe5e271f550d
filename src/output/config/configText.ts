import type { DescribedHost, DescribedValue, Description } from '../../config/describe/description.ts'
import type { Plain } from '../../config/types/type.ts'
import { paint } from '../paint.ts'
import { originText, yamlValue } from './yamlValue.ts'

/** A line and its remark. */
type RemarkedLine = { readonly text: string; readonly remark?: string }

const gap = 2

const lengthOf = (text: string): number => [...text].length

const indentOf = (text: string): string => /^ */.exec(text)?.[0] ?? ''

/** Longer lines do not widen the column of the remarks. */
const longest = 46

/**
 * Puts remarks as comments in one column after the lines. A remark beyond `width` goes on a line of its own
 * above.
 */
export function inColumns(
  lines: readonly RemarkedLine[],
  options: { readonly width: number; readonly paint: (comment: string) => string },
): readonly string[] {
  const { width, paint } = options
  const lengths = lines
    .filter(({ remark }) => remark !== undefined)
    .map(({ text }) => lengthOf(text))
    .filter((length) => length <= longest)
  const column = Math.max(0, ...lengths) + gap
  return lines.flatMap(({ text, remark }) => {
    if (remark === undefined) return [text]
    const space = ' '.repeat(Math.max(gap, column - lengthOf(text)))
    const fits = lengthOf(text) + space.length + 2 + lengthOf(remark) <= width
    const comment = paint(`# ${remark}`)
    return fits ? [`${text}${space}${comment}`] : [`${indentOf(text)}${comment}`, text]
  })
}

type ConfigTextOptions = {
  /** Show the origin of each value. */
  readonly origin: boolean
  readonly colour: boolean
  /** Columns of the terminal. */
  readonly width: number
}

/** Writes a name and its value; a list that is too long for one line gets one line per entry. */
function valueLines(
  one: DescribedValue,
  indent: string,
  options: ConfigTextOptions,
): readonly RemarkedLine[] {
  const remark = options.origin ? { remark: originText(one.origin) } : {}
  const { name, value } = one
  const line = `${indent}${name}: ${yamlValue(value)}`
  if (!Array.isArray(value) || line.length <= options.width) return [{ text: line, ...remark }]
  const items = value.map((item: Plain) => ({ text: `${indent}  - ${yamlValue(item)}` }))
  return [{ text: `${indent}${name}:`, ...remark }, ...items]
}

function groupLines(
  host: DescribedHost,
  group: 'ssh' | 'options',
  options: ConfigTextOptions,
): readonly RemarkedLine[] {
  const values = host[group]
  if (values.length === 0) return []
  return [{ text: `  ${group}:` }, ...values.flatMap((one) => valueLines(one, '    ', options))]
}

function hostText(host: DescribedHost, options: ConfigTextOptions): string {
  const lines = [
    { text: `${yamlValue(host.name)}:` },
    ...host.host.flatMap((one) => valueLines(one, '  ', options)),
    ...groupLines(host, 'ssh', options),
    ...groupLines(host, 'options', options),
  ]
  const { width } = options
  return inColumns(lines, { width, paint: paint(options.colour).dim }).join('\n')
}

/** Writes every host with its resolved settings as YAML for a person. */
export function configText(description: Description, options: ConfigTextOptions): string {
  return `${description.hosts.map((host) => hostText(host, options)).join('\n\n')}\n`
}
