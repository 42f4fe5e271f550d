import type { CommandContext } from '../cli/context.ts'
import { lineLayout } from '../cli/terminal.ts'
import { planText } from '../output/deployment/plan.ts'

/** Shows what is about to be done, before somebody is asked. */
export const showPlan = (
  context: CommandContext,
  told: Omit<Parameters<typeof planText>[0], 'colour' | 'width'>,
): void => void context.stdout.write(`${planText({ ...told, ...lineLayout(context, context.stdout) })}\n`)
