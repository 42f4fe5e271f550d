import { type AccessLevel, accessLevels } from '../../contracts/accessLevels.ts'
import type { Diagnostic, Span } from '../../diagnostics/diagnostic.ts'
import { nearest } from '../../diagnostics/nearest.ts'
import { redacted } from '../../diagnostics/source.ts'
import type { SecretReference } from '../../secrets/reference.ts'
import { userMembers } from '../document/hideSecrets.ts'
import { keyName, type MapEntry, type MapNode, type YamlNode } from '../document/node.ts'
import { noValue, referenceNotSecret, unknownKey } from '../findings.ts'
import { secretReference } from '../types/secretReference.ts'
import { choice } from '../types/texts.ts'
import { type Reading, type ValueType, wrongType } from '../types/type.ts'
import type { Given, Setting } from './setting.ts'

/** A user in a file; its place is that of its password, which is optional. */
export type UserEntry = Given & {
  readonly name: string
  readonly value?: SecretReference
  readonly access: AccessLevel
}

/** Returns true for an entry of a map of users. */
export const isUserEntry = (given: Given): given is UserEntry => 'access' in given

const levels = choice(accessLevels)

/** Password and access level of a user, as far as they can be used. */
type UserFacts = { readonly password?: SecretReference; readonly span: Span; readonly access: AccessLevel }

/** Reads a password; no value: the existing one is kept, or one is generated. */
function readPassword(node: YamlNode, name: string): Reading<SecretReference> {
  const isEmpty = node.kind === 'scalar' && node.value === null && node.tag === undefined
  return node.faulty === true || isEmpty
    ? { findings: [] }
    : secretReference.read({ ...node, hidden: true }, name)
}

function readAccess(node: YamlNode, name: string): Reading<AccessLevel> {
  if (node.faulty === true) return { findings: [] }
  const place = { span: node.span }
  if (node.tag !== undefined) return { findings: [referenceNotSecret({ name, tag: node.tag }, place)] }
  if (node.kind === 'scalar' && node.value === null) {
    return { findings: [noValue({ name, wants: levels.wants, secret: false }, place)] }
  }
  return levels.read(node, name)
}

function unknownMember(entry: MapEntry, user: string): Diagnostic {
  const near = entry.hidden === true ? undefined : nearest(entry.key, userMembers)
  const facts = { ...keyName(entry), nearest: near, place: `the user ${user}`, known: userMembers }
  return unknownKey(facts, { span: entry.keySpan })
}

/** Reads a user with members; `name` is its spelling, such as `rest-api-users.grafana`. */
function readMembers(node: MapNode, name: string): Reading<UserFacts> {
  const findings: Diagnostic[] = []
  const written = new Set<string>()
  let facts: UserFacts = { span: node.span, access: 'full' }
  for (const entry of node.entries) {
    const { key, value: member } = entry
    // A duplicate key already has its finding.
    if (written.has(key)) continue
    written.add(key)
    if (key === 'access') {
      const { value, findings: found } = readAccess(member, `${name}.access`)
      findings.push(...found)
      if (value !== undefined) facts = { ...facts, access: value }
    } else if (key === 'password') {
      const { value, findings: found } = readPassword(member, `${name}.password`)
      findings.push(...found)
      facts = { ...facts, span: member.span, ...(value && { password: value }) }
    } else findings.push(unknownMember(entry, name))
  }
  return { value: facts, findings }
}

function readUser(node: YamlNode, name: string): Reading<UserFacts> {
  if (node.kind === 'map' && node.tag === undefined && node.faulty !== true) return readMembers(node, name)
  const { value: password, findings } = readPassword(node, name)
  return { value: { span: node.span, access: 'full', ...(password && { password }) }, findings }
}

/**
 * Defines a map of users, each with an optional password, or with a group of password and access level. Names and levels
 * can be shown, passwords never. `each` is the setting for every password.
 */
export function userMap(options: {
  readonly each: Setting<SecretReference>
  readonly wants: string
  readonly example: string
}): ValueType<readonly UserEntry[]> {
  const { each, wants, example } = options

  const readEntry = (entry: MapEntry, name: string): Reading<UserEntry> => {
    const { key, keySpan, value: node } = entry
    const spelling = `${name}.${entry.hidden === true ? redacted : key}`
    const { value, findings } = readUser(node, spelling)
    if (value === undefined) return { findings }
    const { span, access, password } = value
    const given = { setting: each, spelling, keySpan, span, name: key, access }
    return { value: password === undefined ? given : { ...given, value: password }, findings }
  }

  const read = (node: YamlNode, name: string) => {
    if (node.kind !== 'map') {
      const fix = `Write for example: ${name}: ${example}`
      return { findings: [wrongType({ ...node, hidden: true }, { name, wants, fix })] }
    }
    const entries: UserEntry[] = []
    const findings: Diagnostic[] = []
    const written = new Set<string>()
    for (const entry of node.entries) {
      // A duplicate key already has its finding.
      if (written.has(entry.key)) continue
      written.add(entry.key)
      const { value, findings: found } = readEntry(entry, name)
      findings.push(...found)
      if (value !== undefined) entries.push(value)
    }
    return { value: entries, findings }
  }

  const password = { type: ['string', 'array', 'null'], minItems: 1 }
  return {
    wants,
    example,
    textual: false,
    schema: {
      type: 'object',
      propertyNames: { minLength: 1, maxLength: 128 },
      additionalProperties: {
        ...password,
        type: [...password.type, 'object'],
        properties: { access: levels.schema, password },
        additionalProperties: false,
      },
    },
    write: (entries) => entries.map(({ name, access }) => (access === 'full' ? name : `${name} (${access})`)),
    read,
  }
}
