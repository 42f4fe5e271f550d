import { posix } from 'node:path'
import { absolutePath, isOnHost, type Paths } from '../paths.ts'
import type { Pseudonyms } from './pseudonyms.ts'

/** Folders that every system has (Filesystem Hierarchy Standard), so that they tell nothing. */
const everywhere =
  /^\/(?:(?:bin|boot|dev|etc|home|lib|opt|proc|root|run|sbin|srv|sys|tmp|usr|var)?|usr\/local|var\/lib)$/

/** A path of the same form: absolute, below the home, relative or on the host. `paths` tells which is the home. */
export function neutralPath(text: string, names: Pseudonyms, paths: Paths): string {
  if (isOnHost(text)) {
    const rest = text.slice('host:'.length)
    if (rest === '' || rest === '/') return text
    return `host:${rest.startsWith('/') ? '/' : ''}path${names.number('path', posix.normalize(rest))}`
  }
  const absolute = absolutePath(text, { span: undefined, paths })
  // Everybody's home, and so as unfit for an installation as one's own.
  if (absolute === paths.home) return text.startsWith('/') ? '/home' : '~'
  if (everywhere.test(absolute) && text.startsWith('/')) return text
  // Nothing but steps upwards.
  if (/^[./]*$/.test(text)) return text
  const normal = posix.normalize(text).replace(/\/$/, '')
  const [start = ''] = /^(?:~?\/)?/.exec(normal) ?? []
  return `${start}path${names.number('path', normal)}`
}
