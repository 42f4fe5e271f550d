import { isAbsolute, join, normalize, resolve } from 'node:path'
import type { Span } from '../diagnostics/diagnostic.ts'

/** What paths in the files are relative to. */
export type Paths = {
  /** The operator's home, absolute. */
  readonly home: string
  /** The folder of each file by the file's shown name, absolute. */
  readonly directories: ReadonlyMap<string, string>
  /** For what no file gives, such as a built-in default. */
  readonly fallback: string
}

/** The absolute form of a path that was written at `span`: `~/` is the home, the rest is relative to the file. */
export function absolutePath(text: string, written: { span: Span | undefined; paths: Paths }): string {
  const { span, paths } = written
  if (text === '~') return paths.home
  if (text.startsWith('~/')) return join(paths.home, text.slice(2))
  const directory = (span && paths.directories.get(span.file)) ?? paths.fallback
  const path = isAbsolute(text) ? normalize(text) : resolve(directory, text)
  return path.length > 1 ? path.replace(/\/$/, '') : path
}

/** Whether a store path means a file on the host itself: `host:/path`. */
export const isOnHost = (text: string): boolean => text.startsWith('host:')
