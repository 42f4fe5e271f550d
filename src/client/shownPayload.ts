import { type TSchema, Type } from 'typebox'
import { Value } from 'typebox/value'
import { isObject } from '../base/json.ts'
import { lastLines } from '../base/printable.ts'
import type { ReadonlyStatic } from '../contracts/schemaParts.ts'
import { readEnvelope } from './envelope.ts'

/**
 * Reads the payload of a response; undefined for any other. Takes the members of the schema, as `shownPayload` does:
 * hosts of other releases may send more, and may leave out what may be null.
 */
export function readShownPayload<Schema extends TSchema>(
  schema: Schema,
  body: unknown,
): ReadonlyStatic<Schema> | undefined {
  const taken = takeMembers(schema, readEnvelope(body)?.payload)
  return Value.Check(schema, taken) ? (taken as ReadonlyStatic<Schema>) : undefined
}

/** Returns the members of the schema, with printable words. */
export const shownPayload = <Schema extends TSchema>(
  schema: Schema,
  payload: ReadonlyStatic<Schema>,
): ReadonlyStatic<Schema> => takeMembers(schema, payload) as ReadonlyStatic<Schema>

function takeMembers(schema: TSchema, value: unknown): unknown {
  if (Type.IsUnion(schema)) {
    const known = schema.anyOf.find((one) => !Type.IsNull(one))
    return known === undefined ? value : takeMembers(known, value ?? null)
  }
  // Text with a pattern is checked as it was sent.
  if (typeof value === 'string' && Type.IsString(schema) && !('pattern' in schema)) return lastLines(value)
  if (Array.isArray(value) && Type.IsArray(schema)) return value.map((it) => takeMembers(schema.items, it))
  if (!isObject(value) || !Type.IsObject(schema)) return value
  const members = Object.entries(schema.properties).map(
    ([name, member]) => [name, takeMembers(member, value[name])] as const,
  )
  return Object.fromEntries(members.filter(([, member]) => member !== undefined))
}
