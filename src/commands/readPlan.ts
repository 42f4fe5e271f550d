import { resolve } from 'node:path'
import type { CommandContext } from '../cli/context.ts'
import { readRegularFile } from '../cli/readRegularFile.ts'
import { UsageError } from '../cli/usageError.ts'
import { readPlanFile } from '../deployment/savedPlan/planFile.ts'
import type { SavedPlan } from '../deployment/savedPlan/savedPlan.ts'

/** Bytes of a plan file at most: ten times what a thousand hosts need. */
export const largestPlan = 128 * 1024 * 1024

const problems = {
  foreign: ['is not a plan of muster', 'Give the file that `muster plan --out` wrote.'],
  newer: [
    'was written by a newer version of muster',
    'Use that version, or create a new plan with this one.',
  ],
  damaged: [
    'is damaged or was edited: only an unchanged plan can be applied',
    'Make a new one with `muster plan --out`.',
  ],
} as const

/** Reads a saved plan; throws a `UsageError` that says what is wrong with the file. */
export async function readPlan(context: CommandContext, file: string): Promise<SavedPlan> {
  const found = await readRegularFile(resolve(context.cwd, file), { most: largestPlan })
  if (!found.ok)
    throw new UsageError(`${file} ${found.reason}.`, 'Give the file that `muster plan --out` wrote.')
  const reading = readPlanFile(found.content.toString('utf8'))
  if ('plan' in reading) return reading.plan
  const [what, fix] = problems[reading.problem]
  throw new UsageError(`${file} ${what}.`, fix)
}
