import { isAbsolute, join, normalize, resolve } from 'node:path'
import type { Span } from '../diagnostics/diagnostic.ts'

/** Folders for relative paths. */
export type Paths = {
  /** The operator's home, absolute. */
  readonly home: string
  /** Absolute folder of each file, by its shown name. */
  readonly directories: ReadonlyMap<string, string>
  /** For values that are in no file, such as built-in defaults. */
  readonly fallback: string
}

/** Resolves a path that was written at `span`: `~/` is the home, others are relative to the file. */
export function absolutePath(text: string, written: { span: Span | undefined; paths: Paths }): string {
  const { span, paths } = written
  if (text === '~') return paths.home
  if (text.startsWith('~/')) return join(paths.home, text.slice(2))
  const directory = (span && paths.directories.get(span.file)) ?? paths.fallback
  const path = isAbsolute(text) ? normalize(text) : resolve(directory, text)
  return path.length > 1 ? path.replace(/\/$/, '') : path
}

/** Returns true for a file on the host: `host:/path`. */
export const isOnHost = (text: string): boolean => text.startsWith('host:')
