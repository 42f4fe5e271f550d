import { type AccessLevel, isAccessLevel } from '../../contracts/accessLevels.ts'
import { redacted } from '../../diagnostics/source.ts'
import { stripped } from './readIni.ts'

/** A value in a muster comment. */
export type CommentValue =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'env' | 'file'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly string[] }
  | { readonly kind: 'exec'; readonly items: readonly string[] }
  /** Names, each with its level and an optional secret. */
  | { readonly kind: 'users'; readonly users: readonly CommentUser[] }

export type CommentUser = {
  readonly name: string
  readonly access: AccessLevel
  readonly value?: CommentValue
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const needsQuotes = /^["[!]|[\u0000-\u001f\u007f-\u009f]|^$|\p{Cs}/u

const written = (text: string): string =>
  needsQuotes.test(text) || stripped(text) !== text ? JSON.stringify(text) : text

function writtenValue(value: CommentValue): string {
  if (value.kind === 'text') return written(value.text)
  if (value.kind === 'list') return JSON.stringify(value.items)
  if (value.kind === 'users') {
    const users = value.users.map(({ name, access, value: secret }) => [
      name,
      secret ? writtenValue(secret) : null,
      ...(access === 'full' ? [] : [access]),
    ])
    return `!users ${JSON.stringify(users)}`
  }
  if (value.kind === 'exec') return `!exec ${JSON.stringify(value.items)}`
  return `!${value.kind} ${written(value.text)}`
}

/**
 * Writes what INI cannot express as a comment that muster reads back (without its #): a path of dotted YAML
 * names and a value, which is a text, a JSON text or list, or a reference: `muster: hosts.db1.ssh.port =
 * 2222`. Users are a JSON list of lists: name, secret and, unless it is
 * `full`, the level.
 */
export const musterComment = (path: string, value: CommentValue): string =>
  `muster: ${path} = ${writtenValue(value)}`

/** Writes the same without its value. */
export const hiddenMusterComment = (path: string): string => `muster: ${path} = ${redacted}`

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string')

function json(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function textFrom(source: string): string | undefined {
  if (!source.startsWith('"')) return source === '' ? undefined : source
  const text = json(source)
  return typeof text === 'string' ? text : undefined
}

function userFrom(items: unknown): CommentUser | undefined {
  if (!Array.isArray(items) || items.length < 2 || items.length > 3) return undefined
  const [name, source, access = 'full']: readonly unknown[] = items
  if (typeof name !== 'string' || !isAccessLevel(access)) return undefined
  if (source === null) return { name, access }
  const value = typeof source === 'string' ? valueFrom(source) : undefined
  return value === undefined || value.kind === 'users' || value.kind === 'list'
    ? undefined
    : { name, access, value }
}

function usersFrom(source: string): CommentValue | undefined {
  const pairs = json(source)
  const users = Array.isArray(pairs) ? pairs.map(userFrom) : []
  const known = users.filter((user) => user !== undefined)
  return known.length === 0 || known.length < users.length ? undefined : { kind: 'users', users: known }
}

function valueFrom(source: string): CommentValue | undefined {
  if (source.startsWith('!users ')) return usersFrom(source.slice('!users '.length))
  const [, tag, rest = ''] = /^!(env|file|exec) +(.*)$/su.exec(source) ?? []
  const list = tag === 'exec' ? json(rest) : source.startsWith('[') ? json(source) : undefined
  if (tag === 'exec' || source.startsWith('[')) {
    if (!isTexts(list)) return undefined
    return { kind: tag === 'exec' ? 'exec' : 'list', items: list }
  }
  if (tag === undefined && source.startsWith('!')) return undefined
  const text = textFrom(tag === undefined ? source : rest)
  if (text === undefined) return undefined
  return { kind: tag === 'env' || tag === 'file' ? tag : 'text', text }
}

/** Returns true for a muster comment. */
export const isMusterComment = (comment: string): boolean => comment.startsWith('muster:')

/** Parses a muster comment; undefined if it is invalid. */
export function readMusterComment(
  comment: string,
): { readonly path: string; readonly value: CommentValue } | undefined {
  const [, path = '', source = ''] = /^muster:\s*([^=\s]+)\s*=(.*)$/su.exec(comment) ?? []
  const value = valueFrom(stripped(source))
  return path === '' || value === undefined ? undefined : { path, value }
}
