import type { Paths } from '../paths.ts'
import type { Setting } from '../settings/setting.ts'
import { jumpHost } from '../types/texts.ts'
import { alike, codesOf } from './alike.ts'
import { isOdd } from './isOdd.ts'
import type { Meaning } from './meaning.ts'
import { neutralAddress } from './neutralAddress.ts'
import { neutralHost } from './neutralHost.ts'
import { neutralPath } from './neutralPath.ts'
import { type Pseudonyms, pseudonyms } from './pseudonyms.ts'
import { wordwise } from './wordwise.ts'

/** A text that is to be replaced and what is known of it. */
export type PrivateText = {
  readonly text: string
  readonly meaning: Meaning
  /** Absent for the name of a host, and where no setting stands. */
  readonly setting?: Setting<unknown>
}

const fingerprintLength = 43

const numbered = (word: 'user' | 'cluster' | 'service' | 'text', text: string, names: Pseudonyms): string =>
  `${word}${names.number(word, text)}`

function neutralJump(text: string, names: Pseudonyms): string | undefined {
  const pattern = jumpHost.schema.pattern
  if (typeof pattern !== 'string' || !new RegExp(pattern).test(text)) return undefined
  const [, user, host = '', port = ''] = /^(?:([^@]+)@)?(.+?)((?::[0-9]{1,5})?)$/.exec(text) ?? []
  const bare = host.replace(/^\[(.*)\]$/, '$1')
  const neutral = neutralHost(bare, names) ?? wordwise(bare, names)
  const login = user === undefined ? '' : `${numbered('user', user, names)}@`
  return `${login}${bare === host ? neutral : `[${neutral}]`}${port}`
}

function fingerprintFor(text: string, names: Pseudonyms): string {
  return `SHA256:${String(names.number('fingerprint', text)).padStart(fingerprintLength, 'A')}`
}

/** The best name for it, where its form is right. */
function nice({ text, meaning, setting }: PrivateText, names: Pseudonyms, paths: Paths): string | undefined {
  switch (meaning) {
    case 'host':
      return neutralHost(text, names)
    case 'path':
      return neutralPath(text, names, paths)
    case 'jump':
      return neutralJump(text, names)
    case 'fingerprint':
      return fingerprintFor(text, names)
    case 'user':
      return text === 'root' ? text : numbered('user', text, names)
    case 'cluster':
    case 'service':
      return numbered(meaning, text, names)
    default:
      return (
        (setting === undefined ? neutralAddress(text, names) : undefined) ?? numbered('text', text, names)
      )
  }
}

const capital = (text: string): string => text.replace(/[a-z]/, (letter) => letter.toUpperCase())

/** Words that stand for nothing private: switches, numbers and lengths of time, whatever they were written for. */
const telling = /^(?:true|false|yes|no|on|off|null|~|\d+|\d+(?:ms|s|m))$/i

function isPublic({ text, meaning, setting }: PrivateText): boolean {
  if (text === '' || telling.test(text) || (setting !== undefined && text === setting.default)) return true
  return meaning === 'public' && setting !== undefined && codesOf(setting, text) === ''
}

/** What makes a word one that is not possible, as its original is not. */
const spoilers = ['_', ' ', ':', '/', '\n']

/** Ways to make a name, in the order in which they are tried. */
function waysTo(given: PrivateText, paths: Paths): readonly ((names: Pseudonyms) => string | undefined)[] {
  const { text } = given
  const named =
    (change: (name: string) => string) =>
    (names: Pseudonyms): string | undefined => {
      const name = nice(given, names, paths)
      return name === undefined ? undefined : change(name)
    }
  return [
    named((name) => name),
    named(capital),
    named((name) => name.padEnd(text.length, 'x')),
    // Where its signs may be those of a password, not even they may stay.
    (names) => (isOdd(text) ? undefined : wordwise(text, names)),
    ...spoilers.map((spoiler) => (names: Pseudonyms) => `word${names.number('word', text)}${spoiler}`),
  ]
}

/**
 * What takes the place of a text: a name that says nothing, in which validation finds what it found before. The
 * same text becomes the same name.
 */
export function neutralText(given: PrivateText, names: Pseudonyms, paths: Paths): string {
  if (isPublic(given)) return given.text
  for (const way of waysTo(given, paths)) {
    // Only the name that is taken uses up a number.
    const trial = pseudonyms(names)
    const name = way(trial)
    if (name === undefined || !alike(given.text, name, given)) continue
    trial.keep()
    return name
  }
  return `word${names.number('word', given.text)}`
}
