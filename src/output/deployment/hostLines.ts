import { counted, shortListOf } from '../../base/words.ts'
import { wrap } from '../../base/wrapping.ts'
import { paint } from '../paint.ts'

/** A text about some hosts. */
type HostNote = { readonly hosts: readonly string[]; readonly text: string }

/** Limit of hosts with a line each; beyond it, hosts with the same text share one. */
export const maxHostLines = 12

/** Writes the name of one host, or the number of hosts of `all`. */
export const nameOfHosts = (hosts: readonly string[], all: number): string =>
  hosts.length === 1 ? hosts.join() : `${hosts.length === all ? 'all ' : ''}${counted(hosts.length, 'host')}`

/**
 * Writes a line per text, with its host in the first column. Several hosts are named below it, unless they
 * are `all`. Lines end with a newline.
 */
export function hostLines(
  said: readonly HostNote[],
  options: { readonly all: number; readonly colour: boolean; readonly width?: number },
): string {
  const { bold, dim } = paint(options.colour)
  const { all, width = Number.POSITIVE_INFINITY } = options
  const nameOf = ({ hosts }: HostNote): string => nameOfHosts(hosts, all)
  const column = Math.max(0, ...said.map((one) => nameOf(one).length))
  const indent = ' '.repeat(column + 2)
  return said
    .flatMap((one) => {
      const several = one.hosts.length > 1 && one.hosts.length < all
      const first = `${bold(nameOf(one).padEnd(column))}  `
      return [
        ...wrap(one.text, { width, first, rest: indent }),
        ...(several ? wrap(shortListOf(one.hosts, 12), { width, first: indent, rest: indent }).map(dim) : []),
      ]
    })
    .map((line) => `${line}\n`)
    .join('')
}
