import type { Span } from '../../diagnostics/diagnostic.ts'
import type { SecretReference } from '../../secrets/reference.ts'
import { absolutePath, type Paths } from '../paths.ts'
import { options } from '../settings/options.ts'
import type { Given } from '../shape/values.ts'
import type { SecretEntry } from '../types/secretMap.ts'
import { path as pathType } from '../types/texts.ts'
import type { NotedValue } from './musterComment.ts'

/** What an export needs beside the values. */
export type ExportContext = {
  readonly paths: Paths
  /** Folder that the INI file will lie in, absolute. */
  readonly directory: string
}

type At = { readonly span: Span; readonly context: ExportContext }

/** A path that a file in the output's folder can have: as it is written, unless that folder is another one. */
function pathThere(text: string, { span, context }: At): string {
  const home = context.paths.directories.get(span.file) ?? context.paths.fallback
  if (home === context.directory || text.startsWith('~') || text.startsWith('host:')) return text
  return absolutePath(text, { span, paths: context.paths })
}

function noteOfSecret(value: SecretReference, at: At): NotedValue {
  switch (value.kind) {
    case 'literal':
      return { kind: 'text', text: value.value.reveal() }
    case 'env':
      return { kind: 'env', text: value.name }
    case 'file':
      return { kind: 'file', text: pathThere(value.path, at) }
    case 'exec':
      return { kind: 'exec', items: value.command }
  }
}

/** Whether a value is, or holds, a secret that is written out. */
export const isLiteralSecret = ({ setting, value }: Given): boolean =>
  setting === options.users
    ? (value as readonly SecretEntry[]).some((user) => user.value?.kind === 'literal')
    : setting.secret && (value as SecretReference | undefined)?.kind === 'literal'

/** A usable value as a comment for muster has it. */
export function noteOf(given: Given, context: ExportContext): NotedValue {
  const { setting, value, span } = given
  const at = { span, context }
  // Only this setting's own type ever put a value under its name.
  if (setting === options.users) {
    const users = (value as readonly SecretEntry[]).map(({ name, value: secret, span: place }) =>
      secret === undefined ? { name } : { name, value: noteOfSecret(secret, { span: place, context }) },
    )
    return { kind: 'users', users }
  }
  if (setting.secret) return noteOfSecret(value as SecretReference, at)
  const plain = setting.type.write(value)
  if (Array.isArray(plain)) return { kind: 'list', items: plain.map(String) }
  const text = String(plain)
  return { kind: 'text', text: setting.type === pathType ? pathThere(text, at) : text }
}
