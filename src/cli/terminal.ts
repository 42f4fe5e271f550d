import { foldLines } from '../base/wrapping.ts'
import type { CommandContext, Output } from './context.ts'

/** Returns true for a terminal, unless NO_COLOR is set (no-color.org). */
export const colourOf = (context: CommandContext, output: Output): boolean =>
  output.isTTY === true && !context.env.NO_COLOR && context.env.TERM !== 'dumb'

const narrow = 40
const wide = 110
const unknownWidth = 100

/** Columns for running text: those of the terminal, within what can be read with ease. */
export const textWidth = (output: Output): number =>
  Math.max(narrow, Math.min(wide, output.columns ?? unknownWidth))

/** Columns for lines that a log keeps whole: those of the terminal, or none that count. */
export const lineWidth = (output: Output): number =>
  output.isTTY === true ? textWidth(output) : Number.POSITIVE_INFINITY

/** Returns the layout of lines for people on a stream. */
export const lineLayout = (
  context: CommandContext,
  output: Output,
): { readonly colour: boolean; readonly width: number } => ({
  colour: colourOf(context, output),
  width: lineWidth(output),
})

/** Returns the layout of tables on standard output; a pipe takes lines of any length. */
export const tableLayout = (
  context: CommandContext,
): { readonly colour: boolean; readonly width: number } => ({
  colour: colourOf(context, context.stdout),
  width: context.stdout.columns ?? Number.POSITIVE_INFINITY,
})

/** Prints text for people on standard output; where a terminal is too narrow for a line, it breaks between words. */
export function writeText({ stdout }: Pick<CommandContext, 'stdout'>, text: string): void {
  stdout.write(stdout.isTTY === true ? foldLines(text, stdout.columns) : text)
}

/** Prints a file that the command made: where it goes to another program it is not changed. */
export function writeFileTo(output: Output, text: string): void {
  if (output.writeFile === undefined) output.write(text)
  else output.writeFile(text)
}
