import { referenceTags } from '../document/node.ts'
import type { Pseudonyms } from './pseudonyms.ts'

/** YAML's own types (yaml.org/type). */
const ownTypes = 'binary|bool|float|int|map|merge|null|omap|pairs|seq|set|str|timestamp'

const known = new RegExp(
  `^(?:!(?:${referenceTags.join('|')})?|!!(?:${ownTypes})|!<tag:yaml\\.org,2002:(?:${ownTypes})>)$`,
)

/** A tag in place of one that may say anything, with the same exclamation marks; known ones stay. */
export function neutralTag(tag: string, names: Pseudonyms): string {
  if (known.test(tag)) return tag
  const named = (word: string): string => (word === '' ? '' : `tag${names.number('tag', word)}`)
  const verbatim = /^!<([^>]*)>?$/.exec(tag)
  if (verbatim !== null) return `!<${named(verbatim[1] ?? '')}>`
  return tag.split('!').map(named).join('!')
}
