import { styleText } from 'node:util'
import { wrap } from '../../base/wrapping.ts'

export type Paint = (style: Parameters<typeof styleText>[0], text: string) => string

/** Width of a page in columns, and its colours. */
export type Layout = { readonly width: number; readonly paint: Paint }

export const layoutFor = (options: { readonly width: number; readonly colour: boolean }): Layout => ({
  width: options.width,
  paint: (style, text) => (options.colour ? styleText(style, text, { validateStream: false }) : text),
})

/** Replaces blanks inside backquotes while lines are wrapped. */
const unbroken = '\u00a0'

/** Wraps text, but never inside backquotes. */
export function proseLines(
  text: string,
  options: { readonly layout: Layout; readonly first: string; readonly rest: string },
): readonly string[] {
  const { layout, first, rest } = options
  const joined = text.replaceAll(/`[^`]*`/g, (code) => code.replaceAll(' ', unbroken))
  return wrap(joined, { width: layout.width, first, rest }).map((line) =>
    line
      .replaceAll(/`([^`]*)`/g, (quoted, code: string) => {
        const painted = layout.paint('cyan', code)
        return painted === code ? quoted : painted
      })
      .replaceAll(unbroken, ' '),
  )
}
