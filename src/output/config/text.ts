import type { DescribedHost, DescribedValue, Description } from '../../config/describe/description.ts'
import type { Plain } from '../../config/types/type.ts'
import { paint } from '../deployment/paint.ts'
import { inColumns, type Remarked } from './columns.ts'
import { originText } from './origin.ts'
import { yamlValue } from './yamlValue.ts'

export type ConfigTextOptions = {
  /** Whether to say of each value where it came from. */
  readonly origin: boolean
  readonly colour: boolean
  /** Columns of the terminal. */
  readonly width: number
}

/** A name and its value; a list that is too long for one line gets a line for each entry. */
function valueLines(one: DescribedValue, indent: string, options: ConfigTextOptions): readonly Remarked[] {
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
): readonly Remarked[] {
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

/** Every host with its resolved settings, as YAML for a person. */
export function configText(description: Description, options: ConfigTextOptions): string {
  return `${description.hosts.map((host) => hostText(host, options)).join('\n\n')}\n`
}
