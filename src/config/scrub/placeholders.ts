import {
  canonicalAddress,
  impossibleAddress,
  isHostName,
  isLoopback,
  isWildcard,
} from '../../base/address.ts'
import { passwordProblems } from '../../contracts/credentialRules.ts'
import { redacted } from '../../diagnostics/source.ts'
import type { YamlNode } from '../document/node.ts'
import { passwordWeakness } from '../passwordFinding.ts'
import type { Setting } from '../settings/setting.ts'
import { namingProblems } from '../userName.ts'
import { isKeyword, isNumeric, isRedacted } from './keywords.ts'

type Value = string | number | boolean | null

/** Replacements for private text: equal text gets equal replacements. */
export type Placeholders = {
  /**
   * Replaces a value of a setting or other text that may be a keyword; numbers stay only as the value of a
   * setting.
   */
  readonly text: (text: string, setting?: Setting<unknown>) => string
  /** Replaces one word of a text that is not YAML. */
  readonly word: (word: string) => string
  /** Replaces the source of a secret: an environment variable, a file, or a word of a command. */
  readonly reference: (text: string) => string
  readonly secret: (value: Value) => Value
  /** Replaces the name of an anchor or a tag. */
  readonly mark: (kind: 'anchor' | 'tag', name: string) => string
}

/** A lone surrogate, which no password may contain. */
const loneSurrogate = '\ud800'

/** Starts counting: the first text of its kind gets the number 1. */
export function placeholders(): Placeholders {
  const numbers = new Map<string, Map<string, number>>()
  const number = (kind: string, text: string): number => {
    const known = numbers.get(kind) ?? new Map<string, number>()
    const own = known.get(text) ?? known.size + 1
    numbers.set(kind, known.set(text, own))
    return own
  }

  const address = (text: string): string | undefined => {
    const impossible = impossibleAddress(text)
    if (impossible !== undefined)
      return impossibleAddresses.find((one) => impossibleAddress(one) === impossible)
    const canonical = canonicalAddress(text)
    if (canonical === undefined || isLoopback(canonical) || isWildcard(canonical)) return canonical && text
    return canonical.includes(':')
      ? documentationAddress(number('address6', canonical))
      : benchmarkAddress(number('address4', canonical))
  }

  const name = (text: string, traits: (form: string) => string): string => {
    const own = address(text)
    if (own !== undefined) return own
    const [start = ''] = /^(?:host:)?(?:~?\/)?/.exec(text) ?? []
    if (text === start) return text
    // Hosts differ by more than capital letters.
    const forms = formsOf({ text, start, number: number('name', text.toLowerCase()) })
    const wanted = traits(text)
    return forms.find((form) => traits(form) === wanted) ?? forms[0]
  }

  return {
    reference: (text) => {
      const isVariable = /^[A-Za-z_]\w*$/.test(text)
      return text === '' ? '' : `name${isVariable ? '' : '-'}${number('name', text.toLowerCase())}`
    },
    word: (word) => (isKeyword(word) || isNumeric(word) ? word : name(word, () => '')),
    text: (text, setting) => {
      const isUsual = setting !== undefined && (isNumeric(text) || text === setting.default)
      return isUsual || isKeyword(text) ? text : name(text, (form) => traitsOf(form, setting))
    },
    secret: (value) => {
      if (typeof value === 'boolean') return true
      if (typeof value === 'number') return 0
      if (value === null || value === '' || isRedacted(value)) return value
      if (passwordProblems(value).length > 0) return `${redacted}${loneSurrogate}`
      const own = number('secret', value)
      // Below twelve characters it is weak; one digit of base 36 keeps it there.
      const isWeak = passwordWeakness(value, undefined) !== undefined
      return isWeak ? `${redacted}${(own % 36).toString(36)}` : `${redacted}-${own}`
    },
    mark: (kind, text) => `${kind}${number(kind, text)}`,
  }
}

/** Addresses that no host can have, one of each kind. */
const impossibleAddresses = ['255.255.255.255', '224.0.0.1', '198.18.0.0', '198.18.0.0/24']

/** Returns the n-th address of the benchmark range (RFC 2544); no host has .0 or .255. */
function benchmarkAddress(number: number): string {
  const block = Math.floor((number - 1) / 254)
  return `198.${18 + ((block >> 8) & 1)}.${block & 255}.${((number - 1) % 254) + 1}`
}

/** Returns the n-th IPv6 address of the documentation range (RFC 3849), in canonical form. */
function documentationAddress(number: number): string {
  const [high, low] = [Math.floor(number / 0x10000), number % 0x10000]
  return high === 0 ? `2001:db8::${low.toString(16)}` : `2001:db8::${high.toString(16)}:${low.toString(16)}`
}

/** Returns a word in small letters, in capitals as environment variables are, or in both, as a text is. */
function wordLike(text: string): string {
  if (text === text.toLowerCase()) return 'name'
  return /^[A-Z_][A-Z\d_]*$/.test(text) ? 'NAME' : 'Name'
}

/** Makes meaningless names, each valid or invalid in another way. */
function formsOf(of: { text: string; start: string; number: number }): readonly [string, ...string[]] {
  const { text, start, number } = of
  const name = `${start}${wordLike(text)}${number}`
  const fingerprint = `SHA256:${String(number).padStart(43, 'A')}`
  return [name, name.padEnd(text.length, 'x'), `${name}_`, `${name} x`, `${name}\n`, fingerprint]
}

const span = { file: '', line: 1, column: 1, endLine: 1, endColumn: 2 }

const scalar = (text: string): YamlNode => ({ kind: 'scalar', value: text, source: text, span })

/** Summarizes the traits of a text that validation checks. */
function traitsOf(text: string, setting: Setting<unknown> | undefined): string {
  const isUser = setting === undefined || setting.name.endsWith('user')
  const nameTraits = `${isHostName(text)} ${isUser && namingProblems(text).length > 0}`
  if (setting === undefined) return nameTraits
  const { type, name } = setting
  const isList = type.example.startsWith('[')
  const node: YamlNode = isList ? { kind: 'list', flow: true, items: [scalar(text)], span } : scalar(text)
  const codes = type.read(node, name).findings.map(({ code }) => code)
  return `${nameTraits} ${codes.join()}`
}
