import { addressAndPort } from '../../base/address.ts'
import { isObject } from '../../base/json.ts'

/** The members of a payload, whatever they are. */
export type Fields = Readonly<Record<string, unknown>>

/** A value in a column; what is not known is a dash. */
export const cell = (value: unknown): string =>
  (typeof value === 'string' && value !== '') || typeof value === 'number' ? String(value) : '-'

/** A length of time in whole seconds. */
export const seconds = (value: unknown): string => (typeof value === 'number' ? `${value} s` : '-')

/** A point in time as payloads tell it (RFC 3339, UTC), without fractions: `2025-03-10 10:12:18 UTC`. */
export const time = (value: unknown): string =>
  cell(value).replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/, '$1 $2 UTC')

/** Where a database server listens, IPv6 in brackets. */
export const address = ({ host, port }: Fields): string => addressAndPort(cell(host), cell(port))

/** The objects of a list; none where it is no list. */
export const objects = (value: unknown): readonly Fields[] =>
  Array.isArray(value) ? value.filter(isObject) : []

/** The object below a member; empty where there is none. */
export const object = (value: unknown): Fields => (isObject(value) ? value : {})

/** Whether a call changed something, as a field of its answer; nothing where the answer does not tell. */
export const changedField = (fields: Fields): readonly (readonly [string, string])[] =>
  typeof fields.changed === 'boolean' ? [['changed', fields.changed ? 'yes' : 'no']] : []
