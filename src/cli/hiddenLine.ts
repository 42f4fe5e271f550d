/** A line that is typed without being shown. */
export type HiddenLine = {
  readonly text: string
  /** Inside an escape sequence, such as that of an arrow key, which is passed over. */
  readonly escape: 'none' | 'begun' | 'sequence'
}

export type HiddenKey = HiddenLine & { readonly event: 'typing' | 'enter' | 'interrupt' | 'end' }

export const emptyLine: HiddenLine = { text: '', escape: 'none' }

const characters = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/**
 * What one character (a code point) of a terminal in raw mode does to the line: Enter ends it, Backspace
 * takes the last visible character away, Ctrl-U all of them, Ctrl-C interrupts, and Ctrl-D ends an empty line.
 */
export function typeCharacter(line: HiddenLine, character: string): HiddenKey {
  const typing = (text: string, state: HiddenLine['escape'] = 'none'): HiddenKey => ({
    text,
    escape: state,
    event: 'typing',
  })
  if (character === '\u0003') return { ...emptyLine, event: 'interrupt' }
  if (line.escape === 'begun') return typing(line.text, /[[O]/.test(character) ? 'sequence' : 'none')
  if (line.escape === 'sequence') return typing(line.text, /[@-~]/.test(character) ? 'none' : 'sequence')
  switch (character) {
    case '\r':
    case '\n':
      return { text: line.text, escape: 'none', event: 'enter' }
    case '\u0004':
      return { text: line.text, escape: 'none', event: line.text === '' ? 'end' : 'typing' }
    case '\u001b':
      return typing(line.text, 'begun')
    case '\u0015':
      return typing('')
    case '\b':
    case '\u007f':
      return typing(withoutLast(line.text))
    default:
      return typing(character < ' ' ? line.text : line.text + character)
  }
}

function withoutLast(text: string): string {
  const last = [...characters.segment(text)].at(-1)
  return last === undefined ? '' : text.slice(0, last.index)
}
