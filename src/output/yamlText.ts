import { isObject } from '../base/json.ts'
import { yamlValue } from './config/yamlValue.ts'

/** Writes a value of JSON as YAML, in blocks. */
export const yamlText = (value: unknown): string => `${blockOf(value, '').join('\n')}\n`

function blockOf(value: unknown, indent: string): readonly string[] {
  if (!isBlock(value)) return [`${indent}${scalarOf(value)}`]
  if (Array.isArray(value)) {
    return value.flatMap((item: unknown) => {
      const [first = '', ...rest] = blockOf(item, `${indent}  `)
      return [`${indent}- ${first.trimStart()}`, ...rest]
    })
  }
  return Object.entries(isObject(value) ? value : {}).flatMap(([name, member]) => {
    const key = `${indent}${yamlValue(name)}:`
    if (!isBlock(member)) return [`${key} ${scalarOf(member)}`]
    return [key, ...blockOf(member, `${indent}  `)]
  })
}

const isBlock = (value: unknown): boolean =>
  (Array.isArray(value) && value.length > 0) || (isObject(value) && Object.keys(value).length > 0)

const scalarOf = (value: unknown): string => {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return yamlValue(value)
  return Array.isArray(value) ? '[]' : isObject(value) ? '{}' : 'null'
}
