import type { CommandContext, Output } from './context.ts'

/** Whether to colour what goes to a stream: on a terminal, unless NO_COLOR is set (no-color.org). */
export const colourOf = (context: CommandContext, output: Output): boolean =>
  output.isTTY === true && !context.env.NO_COLOR && context.env.TERM !== 'dumb'
