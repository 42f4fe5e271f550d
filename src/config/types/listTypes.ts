import type { Span } from '../../diagnostics/diagnostic.ts'
import type { YamlNode } from '../document/node.ts'
import { type Reading, type ValueType, wrongType } from './type.ts'

/** An entry of a list with its place. */
export type Item<T> = { readonly value: T; readonly span: Span }

/** A list whose entries have one type; invalid entries are removed, each with a finding. */
export function listOfType<T>(type: ValueType<T>, wants: string): ValueType<readonly Item<T>[]> {
  const example = `[${type.example}]`
  const read = (node: YamlNode, name: string): Reading<readonly Item<T>[]> => {
    if (node.kind !== 'list') {
      const single = node.kind === 'scalar' && node.hidden !== true ? node.source : type.example
      return { findings: [wrongType(node, { name, wants, fix: `Put it in brackets: ${name}: [${single}]` })] }
    }
    const readings = node.items
      .filter((item) => item.faulty !== true)
      .map((item) => ({ item, reading: type.read(item, name) }))
    return {
      value: readings.flatMap(({ item, reading }) =>
        reading.value === undefined ? [] : [{ value: reading.value, span: item.span }],
      ),
      findings: readings.flatMap(({ reading }) => reading.findings),
    }
  }
  return {
    wants,
    example,
    textual: false,
    schema: { type: 'array', items: type.schema },
    write: (items) => items.map(({ value }) => type.write(value)),
    read,
  }
}

/** A list like `listOfType`, in which a single entry needs no brackets. */
export function oneOrMore<T>(type: ValueType<T>, wants: string): ValueType<readonly Item<T>[]> {
  const list = listOfType(type, wants)
  return {
    ...list,
    example: type.example,
    schema: { oneOf: [type.schema, list.schema] },
    read: (node, name) => {
      if (node.kind !== 'scalar') return list.read(node, name)
      const { value, findings } = type.read(node, name)
      return value === undefined ? { findings } : { value: [{ value, span: node.span }], findings }
    },
  }
}

/** A list like `listOfType`, without the places of its entries. */
export function plainList<T>(type: ValueType<T>, wants: string): ValueType<readonly T[]> {
  const { read, write: _write, ...list } = listOfType(type, wants)
  return {
    ...list,
    write: (items) => items.map((item) => type.write(item)),
    read: (node, name) => {
      const { value, findings } = read(node, name)
      return value === undefined ? { findings } : { value: value.map((item) => item.value), findings }
    },
  }
}
