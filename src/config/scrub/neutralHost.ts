import { isHostName } from '../../base/address.ts'
import { neutralAddress, neutralWrongAddress } from './neutralAddress.ts'
import type { Pseudonyms } from './pseudonyms.ts'

/** The n-th spelling of a name that starts with four letters: `host1`, `hosT1`, `hoSt1`; after sixteen again. */
const spelled = (name: string, spelling: number): string =>
  [...name]
    .map((letter, index) =>
      index < 4 && ((spelling - 1) >> (3 - index)) % 2 === 1 ? letter.toUpperCase() : letter,
    )
    .join('')

/** `host1` for a name; one that differs from another only in capital letters does so afterwards, too. */
function neutralName(text: string, names: Pseudonyms): string {
  const lower = text.toLowerCase()
  return spelled(`host${names.number('host', lower)}`, names.number(`spelling of ${lower}`, text))
}

/** A host's name or address for examples; undefined for what is neither. */
export function neutralHost(text: string, names: Pseudonyms): string | undefined {
  if (text.toLowerCase() === 'localhost') return text
  const address = neutralAddress(text, names) ?? neutralWrongAddress(text, names)
  if (address !== undefined) return address
  return isHostName(text) ? neutralName(text, names) : undefined
}
