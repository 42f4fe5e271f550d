import { foldLines } from '../base/wrapping.ts'
import { type CommandContext, type Output, writingAs } from './context.ts'

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

/**
 * Returns the context with the one writer of all commands: on a terminal, lines that are too wide break between words.
 * A file that the command made stays as it is.
 */
export const withFoldedLines = (context: CommandContext): CommandContext => ({
  ...context,
  stdout: foldedOutput(context.stdout),
  stderr: foldedOutput(context.stderr),
})

/** Returns a stream that breaks lines between words on a terminal; elsewhere lines stay whole. */
export function foldedOutput(stream: Output): Output {
  let begins = true
  return writingAs(stream, {
    write: (text) => {
      // What goes on a line that was begun, such as behind a question, stays as it is.
      const folds = begins && stream.isTTY === true
      if (text !== '') begins = text.endsWith('\n')
      return stream.write(folds ? foldLines(text, stream.columns) : text)
    },
    writeFile: (text) => writeFileTo(stream, text),
    // Whoever draws the whole screen fits it himself.
    ...(stream.rewrite && { rewrite: stream.rewrite }),
  })
}

/** Prints a file that the command made: where it goes to another program it is not changed. */
export function writeFileTo(output: Output, text: string): void {
  if (output.writeFile === undefined) output.write(text)
  else output.writeFile(text)
}
