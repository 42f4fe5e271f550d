import { IsSchema, type TSchema } from 'typebox'
import { isObject } from '../base/json.ts'
import * as commonPayloads from './commonPayloads.ts'
import * as commonRoutes from './commonRoutes.ts'
import * as connectorPayloads from './connectorPayloads.ts'
import * as envelope from './envelope.ts'
import * as managerPayloads from './managerPayloads.ts'
import * as replicatorPayloads from './replicatorPayloads.ts'
import * as servicesMap from './servicesMap.ts'

type Json = { readonly [member: string]: unknown }

const modules = [
  commonPayloads,
  commonRoutes,
  connectorPayloads,
  envelope,
  managerPayloads,
  replicatorPayloads,
  servicesMap,
]

/** Every schema that the contracts export, and the name by which they do. */
const exportedNames: ReadonlyMap<unknown, string> = new Map(
  modules.flatMap((module) =>
    Object.entries(module).flatMap(([name, value]) => (IsSchema(value) ? [[value, name] as const] : [])),
  ),
)

/** `PingPayload` and `Response` make `PingResponse`; undefined for a payload without a name. */
export function wrapperName(payload: unknown, kind: 'Request' | 'Response'): string | undefined {
  return exportedNames.get(payload)?.replace(/(Payload)?$/, kind)
}

/** JSON Schema in the words that generators of code understand best. */
function plainWords(schema: Json): Json {
  const { patternProperties, ...rest } = schema
  if (isObject(patternProperties) && Object.keys(patternProperties).join() === '^.*$') {
    return { ...rest, additionalProperties: patternProperties['^.*$'] }
  }
  const { enum: words, type } = schema
  const isText = Array.isArray(words) && type === undefined && words.every((it) => typeof it === 'string')
  return isText ? { type: 'string', ...schema } : schema
}

/** Collects the schemas of one document, each once by its name, and the references to them. */
export type SchemaCollection = {
  /** By name, in the order of the alphabet. */
  readonly all: () => Readonly<Record<string, Json>>
  /** A reference to a schema; one that has no name, of its own or handed in, stands there itself. */
  readonly refer: (schema: TSchema, name?: string) => Json
}

export function collectSchemas(): SchemaCollection {
  const found = new Map<string, Json>()
  function write(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((it) => (IsSchema(it) ? refer(it) : write(it)))
    if (!isObject(value)) return value
    const written = Object.entries(plainWords(value)).map(([name, it]) => [
      name,
      IsSchema(it) ? refer(it) : write(it),
    ])
    return Object.fromEntries(written)
  }
  function refer(schema: TSchema, given?: string): Json {
    const name = given ?? exportedNames.get(schema)
    if (name === undefined) return write(schema) as Json
    if (!found.has(name)) {
      // A schema that holds itself refers to the place that is taken here.
      found.set(name, {})
      found.set(name, write(schema) as Json)
    }
    return { $ref: `#/components/schemas/${name}` }
  }
  const all = () => Object.fromEntries([...found].toSorted(([a], [b]) => (a < b ? -1 : 1)))
  return { all, refer }
}
