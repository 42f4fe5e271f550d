import { referenceTags } from '../document/node.ts'
import { isOurs } from './keys.ts'
import { allSettings } from './meaning.ts'
import { neutralAddress, neutralWrongAddress } from './neutralAddress.ts'
import type { Pseudonyms } from './pseudonyms.ts'

/** Words that any file may have: the choices of settings, switches, what scrubbing itself writes. */
const common = new Set<unknown>([
  ...allSettings.flatMap(({ type }) => (Array.isArray(type.schema.enum) ? type.schema.enum : [])),
  ...referenceTags,
  ...['true', 'false', 'yes', 'no', 'on', 'off', 'null', 'root', 'YAML', 'TAG', 'redacted'],
])

/** Signs that YAML takes for letters. */
const letter = '\\p{L}\\p{N}_\\u0001-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\ufefe\\uff00-\\u{10ffff}'

const words = new RegExp(
  `[0-9A-Fa-f]{0,4}:[0-9A-Fa-f:.]{0,44}[0-9A-Fa-f](?![${letter}.-])|[${letter}](?:[${letter}.-]*[${letter}])?`,
  'gu',
)

const isCommon = (word: string): boolean => common.has(word) || isOurs(word) || /^\d+(?:ms|s|m)?$/.test(word)

/** A name of YAML can be too long; what takes the place of a very long word is as long. */
const veryLong = 64

function neutralWord(word: string, names: Pseudonyms): string {
  if (isCommon(word)) return word
  const address = neutralAddress(word, names) ?? neutralWrongAddress(word, names)
  if (address !== undefined) return address
  const host = names.known('host', word.toLowerCase())
  const name = host === undefined ? `word${names.number('word', word)}` : `host${host}`
  return word.length > veryLong ? name.padEnd(word.length, 'x') : name
}

/** Replaces every word that is not known to everybody; signs, spaces and line breaks stay. */
export const scrubWords = (text: string, names: Pseudonyms): string =>
  text.replaceAll(words, (word) => {
    // What only looks like an IPv6 address is a name with its value.
    const isOne = !word.includes(':') || neutralAddress(word, names) !== undefined
    return isOne
      ? neutralWord(word, names)
      : word
          .split(':')
          .map((part) => scrubWords(part, names))
          .join(':')
  })
