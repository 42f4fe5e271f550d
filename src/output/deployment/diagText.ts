import { counted } from '../../base/words.ts'
import { wrap } from '../../base/wrapping.ts'

/** A file of the archive with a short description. */
export type DiagPart = { readonly path: string; readonly what: string }

const omittedNote =
  'The archive contains no known passwords, hashes, private keys or digests of files. It contains names, addresses, paths and log lines of hosts: review it before you share it.'

/** Lists the files of an archive before they are collected. */
export function diagPreview(parts: readonly DiagPart[], width: number): string {
  const column = Math.max(...parts.map(({ path }) => path.length))
  const rows = parts.map(({ path, what }) => `  ${path.padEnd(column)}  ${what}`)
  const lines = ['The archive for a bug report will contain:', ...rows, ...wrapped(omittedNote, width)]
  return `${lines.join('\n')}\n`
}

/** Reports the path of the archive, and hosts without data. */
export function diagResult(options: {
  readonly path: string
  readonly bytes: number
  readonly files: number
  readonly unreachable: readonly string[]
  readonly width: number
}): string {
  const { path, bytes, files, unreachable, width } = options
  const missing =
    unreachable.length === 0
      ? []
      : wrapped(`Unreachable (see the archive for the reason): ${unreachable.join(', ')}.`, width)
  const size = `${counted(files, 'file')}, ${Math.max(1, Math.round(bytes / 1024))} KiB`
  return `${[...missing, `Written to ${path} (${size}).`].join('\n')}\n`
}

/** Writes the README, the first file of the archive. */
export function diagReadme(options: {
  readonly cluster: string
  readonly made: Date
  readonly parts: readonly DiagPart[]
  readonly unreachable: readonly { readonly host: string; readonly message: string; readonly code: string }[]
}): string {
  const { cluster, made, parts, unreachable } = options
  const lines = [
    `Made by muster diag for the cluster ${cluster} at ${made.toISOString()}.`,
    ...wrapped(omittedNote, 100),
    '',
    ...parts.map(({ path, what }) => `${path}: ${what}`),
    ...(unreachable.length === 0 ? [] : ['', 'Unreachable hosts:']),
    ...unreachable.map(({ host, message, code }) => `${host}: ${message} [${code}]`),
  ]
  return `${lines.join('\n')}\n`
}

const wrapped = (text: string, width: number): readonly string[] => wrap(text, { width, first: '', rest: '' })
