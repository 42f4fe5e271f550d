import { maskInvisible } from '../../base/printable.ts'
import type { ValueOrigin } from '../../config/describe/description.ts'
import type { Plain } from '../../config/types/type.ts'

/** Writes the origin of a value: `muster.yaml:12:5 (defaults)`, `default`, `--set`. */
export function originText({ layer, service, place }: ValueOrigin): string {
  if (layer === 'set') return '--set'
  if (place === undefined) return layer
  const who = service === undefined ? layer : `service ${service}`
  // A file may have any name; its comment must end where its line does.
  const file = maskInvisible(place.file).replaceAll(/[\t\n]/g, '\u00b7')
  return `${file}:${place.line}:${place.column} (${who})`
}

/** Invisible characters and those that a terminal acts on: written as escapes. */
const invisible = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Cs}\ufeff]/u
const everyInvisible = new RegExp(invisible.source, 'gu')

const escaped = (character: string): string => {
  const code = character.codePointAt(0) ?? 0
  return code > 0xffff
    ? `\\U${code.toString(16).padStart(8, '0')}`
    : `\\u${code.toString(16).padStart(4, '0')}`
}

const address = /^\d{1,3}(\.\d{1,3}){3}$/
const duration = /^\d+(ms|s|m)$/
const word = /^[\p{L}_/.~][\p{L}\p{N}_/.~@+-]*(?:[: ][\p{L}\p{N}_/.~@+-]+)*$/u

/** Words that some YAML reader does not read as text. */
const reservedWord = /^(?:null|true|false|yes|no|on|off|y|n|~|[-+.]?\.?(?:inf|nan)|\.?[\d_]*e[-+]?\d+)$/i

/** Writes text that YAML 1.1 and 1.2 both read back unchanged: plain if that is certain, else quoted. */
function textValue(text: string): string {
  if (address.test(text) || duration.test(text)) return text
  const plain = word.test(text) && !reservedWord.test(text) && !/^\.[\d._]/.test(text) && text !== '.'
  if (plain) return text
  if (!invisible.test(text)) return `'${text.replaceAll("'", "''")}'`
  return JSON.stringify(text).replaceAll(everyInvisible, escaped)
}

/** Writes a value as YAML on one line; lists in brackets. */
export function yamlValue(value: Plain): string {
  if (typeof value === 'string') return textValue(value)
  if (Array.isArray(value)) return `[${value.map((item: Plain) => yamlValue(item)).join(', ')}]`
  return String(value)
}
