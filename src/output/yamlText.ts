import { isObject } from '../base/json.ts'
import { yamlValue } from './config/yamlValue.ts'

/** Writes a value of JSON as YAML, in blocks. `tagOf` may put a tag such as `!unsafe ` before a text. */
export const yamlText = (value: unknown, tagOf: (text: string) => string = () => ''): string =>
  `${blockOf(value, '', tagOf).join('\n')}\n`

function blockOf(value: unknown, indent: string, tagOf: (text: string) => string): readonly string[] {
  if (!isBlock(value)) return [`${indent}${scalarOf(value, tagOf)}`]
  if (Array.isArray(value)) {
    return value.flatMap((item: unknown) => {
      const [first = '', ...rest] = blockOf(item, `${indent}  `, tagOf)
      return [`${indent}- ${first.trimStart()}`, ...rest]
    })
  }
  return Object.entries(isObject(value) ? value : {}).flatMap(([name, member]) => {
    const key = `${indent}${yamlValue(name)}:`
    if (!isBlock(member)) return [`${key} ${scalarOf(member, tagOf)}`]
    return [key, ...blockOf(member, `${indent}  `, tagOf)]
  })
}

const isBlock = (value: unknown): boolean =>
  (Array.isArray(value) && value.length > 0) || (isObject(value) && Object.keys(value).length > 0)

const scalarOf = (value: unknown, tagOf: (text: string) => string): string => {
  if (typeof value === 'string') return `${tagOf(value)}${yamlValue(value)}`
  if (typeof value === 'number' || typeof value === 'boolean') return yamlValue(value)
  return Array.isArray(value) ? '[]' : isObject(value) ? '{}' : 'null'
}
