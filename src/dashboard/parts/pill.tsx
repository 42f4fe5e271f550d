import type { Sign } from '../text/signs.ts'
import { Icon } from './icon.tsx'

/** A state as a word with its shape. */
export const Pill = ({ sign, large }: { readonly sign: Sign; readonly large?: boolean }) => (
  <span class={`pill ${sign.tone}${large === true ? ' large' : ''}`}>
    <Icon name={sign.icon} />
    {sign.word}
  </span>
)
