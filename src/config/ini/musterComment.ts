import { redacted } from '../../diagnostics/source.ts'
import { stripped } from './readLine.ts'

/** A value as a comment for muster holds it. */
export type NotedValue =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'env' | 'file'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly string[] }
  | { readonly kind: 'exec'; readonly items: readonly string[] }

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const needsQuotes = /^["[!]|[\u0000-\u001f\u007f-\u009f]|^$|\p{Cs}/u

const written = (text: string): string =>
  needsQuotes.test(text) || stripped(text) !== text ? JSON.stringify(text) : text

function writtenValue(value: NotedValue): string {
  if (value.kind === 'text') return written(value.text)
  if (value.kind === 'list') return JSON.stringify(value.items)
  if (value.kind === 'exec') return `!exec ${JSON.stringify(value.items)}`
  return `!${value.kind} ${written(value.text)}`
}

/**
 * What INI cannot say, as a comment that muster reads back (without its #): a path of YAML names with dots and
 * a value, which is a text, a JSON text or list, or a reference: `muster: hosts.db1.ssh.port = 2222`.
 */
export const musterComment = (path: string, value: NotedValue): string =>
  `muster: ${path} = ${writtenValue(value)}`

/** The same without its value. */
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

function valueFrom(source: string): NotedValue | undefined {
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

/** Whether a comment is meant for muster. */
export const isMusterComment = (comment: string): boolean => comment.startsWith('muster:')

/** What a comment for muster says; undefined when it cannot be understood. */
export function readMusterComment(
  comment: string,
): { readonly path: string; readonly value: NotedValue } | undefined {
  const [, path = '', source = ''] = /^muster:\s*([^=\s]+)\s*=(.*)$/su.exec(comment) ?? []
  const value = valueFrom(stripped(source))
  return path === '' || value === undefined ? undefined : { path, value }
}
