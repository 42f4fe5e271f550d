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
 * Hints name the program as it was called, by `rename`. A file that the command made stays as it is.
 */
export const withFoldedLines = (
  context: CommandContext,
  rename?: (text: string) => string,
): CommandContext => ({
  ...context,
  stdout: foldedOutput(context.stdout, rename),
  stderr: foldedOutput(context.stderr, rename),
})

/** Returns a stream that breaks lines between words on a terminal; elsewhere lines stay whole. */
export function foldedOutput(stream: Output, rename = (text: string): string => text): Output {
  let begins = true
  const writeFolded = (text: string): unknown => {
    // What goes on a line that was begun, such as behind a question, stays as it is.
    const folds = begins && stream.isTTY === true
    if (text !== '') begins = text.endsWith('\n')
    return stream.write(folds ? foldLines(text, stream.columns) : text)
  }
  return writingAs(stream, {
    write: (text) => writeFolded(rename(text)),
    writeData: writeFolded,
    writeFile: (text) => writeFileTo(stream, text),
    // Whoever draws the whole screen fits it himself.
    ...(stream.rewrite && { rewrite: stream.rewrite }),
  })
}

/** Prints data, such as the logs of hosts: commands in it are not written as the program was called. */
export function writeDataTo(output: Output, text: string): void {
  if (output.writeData === undefined) output.write(text)
  else output.writeData(text)
}

/** Prints a file that the command made: where it goes to another program it is not changed. */
export function writeFileTo(output: Output, text: string): void {
  if (output.writeFile === undefined) output.write(text)
  else output.writeFile(text)
}
