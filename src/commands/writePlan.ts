import { resolve } from 'node:path'
import type { CommandContext } from '../cli/context.ts'
import { readRegularFile } from '../cli/readRegularFile.ts'
import { UsageError } from '../cli/usageError.ts'
import { writeNewFile, writeProblem } from '../cli/writeNewFile.ts'
import { planFileText, readPlanFile } from '../deployment/savedPlan/planFile.ts'
import type { SavedPlan } from '../deployment/savedPlan/savedPlan.ts'
import { largestPlan } from './readPlan.ts'

/** Refuses to write where there is something else than a plan; told before any host is reached. */
export async function mustTakePlan(context: CommandContext, out: string): Promise<void> {
  const found = await readRegularFile(resolve(context.cwd, out), { most: largestPlan })
  if (!found.ok && found.problem === 'missing') return
  const isPlan = found.ok && !isForeign(found.content.toString('utf8'))
  if (isPlan) return
  throw new UsageError(
    `${out} already exists and is not a plan; it was not changed.`,
    'Name another file with --out, or move this one away.',
  )
}

const isForeign = (text: string): boolean => {
  const reading = readPlanFile(text)
  return 'problem' in reading && reading.problem === 'foreign'
}

/** Writes a plan (0600) as one atomic change, over an older one at most. Throws a `UsageError`. */
export async function writePlan(context: CommandContext, out: string, plan: SavedPlan): Promise<void> {
  await mustTakePlan(context, out)
  const path = resolve(context.cwd, out)
  const outcome = await writeNewFile({ path, text: planFileText(plan), force: true })
  if (outcome === 'written') return
  const { message, fix } = writeProblem(outcome === 'exists' ? 'failed' : outcome, { file: out })
  throw new UsageError(message, fix)
}
