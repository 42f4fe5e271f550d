import { isObject } from '../../base/json.ts'
import { settingsJson } from '../../deployment/desired/settingsText.ts'
import { isEqual, type Variables } from './variables.ts'

/** Piece of a template, and what a host makes of it. */
type Piece = { readonly text: string; readonly fill: (host: string) => string }

type Values = ReadonlyMap<string, unknown>

const indentOf = (level: number): string => '  '.repeat(level)

const beginnings = /\{[{%#]/g

/**
 * Escapes what Jinja would read as the beginning of an expression, a statement or a comment, except the given
 * expressions.
 */
export const withoutJinja = (text: string, expressions: readonly string[] = []): string =>
  text.replaceAll(beginnings, (mark, at: number) =>
    expressions.some((one) => text.startsWith(one, at)) ? mark : `{{ '${mark}' }}`,
  )

const literal = (text: string): Piece => ({ text: withoutJinja(text), fill: () => text })

const joined = (pieces: readonly Piece[]): Piece => ({
  text: pieces.map(({ text }) => text).join(''),
  fill: (host) => pieces.map(({ fill }) => fill(host)).join(''),
})

/**
 * Returns a Jinja template of a JSON file of several hosts: what all hosts have alike stands in it, the rest becomes
 * variables. Each host gets its own file from it byte for byte; throws if not.
 */
export function jsonTemplate(options: {
  /** Text of the file by host, as `settingsJson` writes it. */
  readonly texts: ReadonlyMap<string, string>
  /** Name in variables that only this file has, such as `manager`. */
  readonly name: string
  readonly variables: Variables
}): string {
  const { texts, name, variables } = options
  const nameOf = (values: Values, path: readonly string[]): string => {
    if (path.join('.') === 'host') return 'inventory_hostname'
    const words = path.map(snake)
    return variables.add(values, [
      ['muster_settings', ...words].join('_'),
      ['muster_settings', name, ...words].join('_'),
    ])
  }
  const variable = (values: Values, called: string, level: number): Piece => {
    const isScalar = [...values.values()].every((value) => typeof value !== 'object' || value === null)
    const filters = isScalar
      ? 'to_json(ensure_ascii=false)'
      : `to_nice_json(indent=2, sort_keys=false, ensure_ascii=false) | indent(${2 * level})`
    return {
      text: `{{ ${called} | ${filters} }}`,
      fill: (host) => jsonOf(values.get(host), level),
    }
  }
  const piece = (values: Values, path: readonly string[], level: number): Piece => {
    const [first, ...others] = values.values()
    if (others.every((other) => isEqual(first, other))) return literal(jsonOf(first, level))
    const order = memberOrder([...values.values()])
    return order === undefined
      ? variable(values, nameOf(values, path), level)
      : members(order, { values, path, level })
  }
  const members = (
    order: readonly string[],
    { values, path, level }: { values: Values; path: readonly string[]; level: number },
  ): Piece => {
    const always = (member: string): boolean =>
      [...values.values()].every((value) => memberOf(value, member).length > 0)
    const lastAlways = order.findLastIndex(always)
    const written = order.map((member, index): Piece => {
      const inside = new Map(
        [...values].flatMap(([host, value]) => memberOf(value, member).map((one) => [host, one] as const)),
      )
      const around = (value: Piece): Piece =>
        joined([
          literal(index > lastAlways ? ',\n' : ''),
          literal(`${indentOf(level + 1)}${JSON.stringify(member)}: `),
          value,
          literal(index < lastAlways ? ',\n' : ''),
        ])
      const below = [...path, member]
      if (always(member)) return around(piece(inside, below, level + 1))
      const called = nameOf(inside, below)
      const whole = around(variable(inside, called, level + 1))
      return {
        // Jinja drops the line break after a statement (trim_blocks).
        text: `{% if ${called} is defined %}\n${whole.text}{% endif %}\n`,
        fill: (host) => (inside.has(host) ? whole.fill(host) : ''),
      }
    })
    return joined([literal('{\n'), ...written, literal(`\n${indentOf(level)}}`)])
  }
  const parsed = new Map([...texts].map(([host, text]) => [host, JSON.parse(text) as unknown]))
  return checked(joined([piece(parsed, [], 0), literal('\n')]), texts)
}

/**
 * Returns a Jinja template of a file with lines such as `Key=value`, as above; lines that differ become variables
 * named by their key.
 */
export function linesTemplate(options: {
  readonly texts: ReadonlyMap<string, string>
  readonly name: string
  readonly variables: Variables
}): string {
  const { texts, name, variables } = options
  const lines = new Map([...texts].map(([host, text]) => [host, text.split('\n')]))
  const counts = new Set([...lines.values()].map(({ length }) => length))
  const [count = 0, ...others] = counts
  if (others.length > 0) throw new Error(`the ${name} of the hosts have different numbers of lines`)
  const pieces = Array.from({ length: count }, (_, index): Piece => {
    const values = new Map([...lines].map(([host, all]) => [host, all[index] ?? '']))
    const [first = '', ...rest] = values.values()
    if (rest.every((line) => line === first)) return literal(first)
    const key = /^(\w+)=/.exec(first)?.[1]
    const start = key === undefined ? '' : `${key}=`
    if (rest.some((line) => !line.startsWith(start)))
      throw new Error(`line ${index + 1} of ${name} has no key`)
    const own = new Map([...values].map(([host, line]) => [host, line.slice(start.length)]))
    const word = key === undefined ? `line_${index + 1}` : snake(key)
    const called = variables.add(own, [`muster_unit_${word}`, `muster_unit_${name}_${word}`])
    return joined([literal(start), { text: `{{ ${called} }}`, fill: (host) => own.get(host) ?? '' }])
  })
  const separated = pieces.flatMap((piece, index) => (index === 0 ? [piece] : [literal('\n'), piece]))
  return checked(joined(separated), texts)
}

function checked({ text, fill }: Piece, texts: ReadonlyMap<string, string>): string {
  for (const [host, expected] of texts) {
    if (fill(host) !== expected) throw new Error(`a template would not give ${host} its file`)
  }
  return text
}

const jsonOf = (value: unknown, level: number): string =>
  settingsJson(value).replaceAll('\n', `\n${indentOf(level)}`)

const memberOf = (value: unknown, name: string): readonly unknown[] =>
  isObject(value) && Object.hasOwn(value, name) ? [value[name]] : []

/** Returns an order of all members that agrees with the order of each value; undefined if none does, or one is no object. */
function memberOrder(values: readonly unknown[]): readonly string[] | undefined {
  const order: string[] = []
  const orders: (readonly string[])[] = []
  for (const value of values) {
    if (!isObject(value)) return undefined
    const names = Object.keys(value)
    orders.push(names)
    for (const [index, name] of names.entries()) {
      if (!order.includes(name)) order.splice(order.indexOf(names[index - 1] ?? '') + 1, 0, name)
    }
  }
  const agrees = orders.every((names) =>
    isEqual(
      order.filter((name) => names.includes(name)),
      names,
    ),
  )
  // Without a member that all have, no comma has a certain place.
  const hasAnchor = order.some((name) => orders.every((names) => names.includes(name)))
  return agrees && hasAnchor ? order : undefined
}

/** `readonlyPort` → `readonly_port`. */
const snake = (name: string): string =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll(/[^A-Za-z0-9]+/g, '_')
    .toLowerCase()
