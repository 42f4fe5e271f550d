import { stripVTControlCharacters } from 'node:util'
import { columnsOf } from '../columnsOf.ts'

/** Breaks text into lines of at most `width` columns between words; `first` starts line one, `rest` the others. */
export function wrap(
  text: string,
  layout: { readonly width: number; readonly first: string; readonly rest: string },
): readonly string[] {
  const lines: string[] = []
  let line = layout.first
  let empty = true
  for (const word of text.split(' ')) {
    if (!empty && widthOf(line) + 1 + widthOf(word) > layout.width) {
      lines.push(line)
      line = layout.rest
      empty = true
    }
    line += empty ? word : ` ${word}`
    empty = false
  }
  return [...lines, line]
}

const widthOf = (text: string): number => columnsOf(stripVTControlCharacters(text))
