import { neutralAddress, neutralWrongAddress } from './neutralAddress.ts'
import type { Pseudonyms } from './pseudonyms.ts'

const letters = 'A-Za-z0-9\\u0080-\\u{10ffff}'

/** Whatever an address with its port may be made of. */
const tokens = new RegExp(`[${letters}:.]+`, 'gu')
const fourNumbers = /^(\d+(?:\.\d+){3})((?::.*)?)$/su
const runs = new RegExp(`[${letters}]+`, 'gu')

function neutralRun(run: string, names: Pseudonyms): string {
  const isNumber = /^[0-9]+$/.test(run)
  return isNumber ? String(names.number('digits', run)) : `word${names.number('word', run)}`
}

/**
 * Replaces every word and number of a text and leaves its punctuation, so that what is wrong with its form stays
 * wrong. Addresses in it become addresses for examples.
 */
export const wordwise = (text: string, names: Pseudonyms): string =>
  text.replaceAll(tokens, (token): string => {
    const whole = neutralAddress(token, names)
    if (whole !== undefined) return whole
    const [, four, port = ''] = fourNumbers.exec(token) ?? []
    const address = four && (neutralAddress(four, names) ?? neutralWrongAddress(four, names))
    const words = (part: string): string => part.replaceAll(runs, (run) => neutralRun(run, names))
    return address === undefined ? words(token) : `${address}${words(port)}`
  })
