import type { YamlNode } from '../document/node.ts'
import { type Reading, textOf, type ValueType, wrongType } from './type.ts'

const yaml11Booleans: Readonly<Record<string, string>> = {
  yes: 'true',
  on: 'true',
  true: 'true',
  no: 'false',
  off: 'false',
  false: 'false',
}

/** `true` or `false`; YAML 1.2 reads yes, no, on and off as text, so they get a hint. */
export const boolean: ValueType<boolean> = {
  wants: 'true or false',
  example: 'true',
  textual: false,
  schema: { type: 'boolean' },
  write: (value) => value,
  read: (node, name) => {
    if (node.kind === 'scalar' && typeof node.value === 'boolean') return { value: node.value, findings: [] }
    const meant = yaml11Booleans[(textOf(node) ?? '').toLowerCase()]
    const fix = `Write ${name}: ${meant ?? 'true'}${meant === undefined ? ' or false' : ''}`
    return { findings: [wrongType(node, { name, wants: 'true or false', fix })] }
  },
}

/** A whole number in a range, both ends included. */
export function wholeNumber(options: {
  readonly wants: string
  readonly example: string
  readonly from: number
  readonly to: number
}): ValueType<number> {
  const { wants, example, from, to } = options
  const read = (node: YamlNode, name: string): Reading<number> => {
    const value = node.kind === 'scalar' ? node.value : undefined
    if (typeof value === 'number' && Number.isInteger(value) && value >= from && value <= to) {
      return { value, findings: [] }
    }
    const quoted =
      typeof value === 'string' && /^\d+$/.test(value) && Number(value) >= from && Number(value) <= to
    const fix = quoted ? 'Remove the quotes.' : `Write, for example: ${name}: ${example}`
    return { findings: [wrongType(node, { name, wants, fix })] }
  }
  const schema = { type: 'integer', minimum: from, maximum: to }
  return { wants, example, textual: false, schema, write: (value) => value, read }
}

/** A TCP port with this example. */
export const portType = (example: number): ValueType<number> =>
  wholeNumber({ wants: 'a port number from 1 to 65535', example: String(example), from: 1, to: 65_535 })

/** Days, at most ten years, the life of an authority. */
export const days = wholeNumber({
  wants: 'a number of days from 1 to 3650',
  example: '365',
  from: 1,
  to: 3650,
})

/** A count, at most a million. */
export const countType = (example: number): ValueType<number> =>
  wholeNumber({ wants: 'a whole number from 1 to 1000000', example: String(example), from: 1, to: 1_000_000 })
