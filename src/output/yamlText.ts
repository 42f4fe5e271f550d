import { isObject } from '../base/json.ts'
import { yamlValue } from './config/yamlValue.ts'

/** Writes a value of JSON as YAML, in blocks. */
export const yamlText = (value: unknown): string => `${blockOf(value, '').join('\n')}\n`

function blockOf(value: unknown, indent: string): readonly string[] {
  if (Array.isArray(value)) {
    return value.flatMap((item: unknown) => {
      const [first = '', ...rest] = blockOf(item, `${indent}  `)
      return [`${indent}- ${first.trimStart()}`, ...rest]
    })
  }
  if (!isObject(value)) return [`${indent}${scalarOf(value)}`]
  return Object.entries(value).flatMap(([name, member]) => {
    const key = `${indent}${yamlValue(name)}:`
    if (!isBlock(member)) return [`${key} ${emptyOf(member) ?? scalarOf(member)}`]
    return [key, ...blockOf(member, `${indent}  `)]
  })
}

const isBlock = (value: unknown): boolean =>
  (Array.isArray(value) && value.length > 0) || (isObject(value) && Object.keys(value).length > 0)

const emptyOf = (value: unknown): string | undefined =>
  Array.isArray(value) ? '[]' : isObject(value) ? '{}' : undefined

const scalarOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? yamlValue(value)
    : (emptyOf(value) ?? 'null')
