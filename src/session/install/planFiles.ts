import { resolve } from 'node:path'
import { quote } from '../../base/shellWords.ts'
import type { CommandContext } from '../../cli/context.ts'
import { readRegularFile } from '../../cli/readRegularFile.ts'
import { UsageError } from '../../cli/usageError.ts'
import { writeNewFile, writeProblem } from '../../cli/writeNewFile.ts'
import { planFileText, readPlanFile, type SavedPlan } from '../../deployment/savedPlan/savedPlan.ts'

/** Bytes of a plan file at most: ten times what a thousand hosts need. */
const largestPlan = 128 * 1024 * 1024

const problems = {
  foreign: ['is not a plan of muster', 'Give the file that `muster plan --out` wrote.'],
  newer: [
    'was written by a newer version of muster',
    'Use that version, or create a new plan with this one.',
  ],
  damaged: [
    'is damaged or was edited; only an unchanged plan can be applied',
    'Create a new plan with `muster plan --out`.',
  ],
} as const

/** Reads a saved plan; throws a `UsageError` that says what is wrong with the file. */
export async function readPlan(context: CommandContext, file: string): Promise<SavedPlan> {
  const found = await readRegularFile(resolve(context.cwd, file), { maxBytes: largestPlan })
  if (!found.ok)
    throw new UsageError(`${file} ${found.reason}.`, 'Give the file that `muster plan --out` wrote.')
  const reading = readPlanFile(found.content.toString('utf8'))
  if ('plan' in reading) return reading.plan
  const [what, fix] = problems[reading.problem]
  throw new UsageError(`${file} ${what}.`, fix)
}

/** Throws a `UsageError` if the path holds something other than a plan; called before any host is reached. */
export async function requirePlanFile(context: CommandContext, out: string): Promise<void> {
  const found = await readRegularFile(resolve(context.cwd, out), { maxBytes: largestPlan })
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
  await requirePlanFile(context, out)
  const path = resolve(context.cwd, out)
  const outcome = await writeNewFile({ path, text: planFileText(plan), force: true })
  if (outcome === 'written') return
  const { message, fix } = writeProblem(outcome === 'exists' ? 'failed' : outcome, { file: out })
  throw new UsageError(message, fix)
}

/** Writes the path of a saved plan and the command that applies it. Omits the values of --set, which may be secrets. */
export function savedPlanText(options: {
  readonly out: string
  readonly files: readonly string[]
  readonly set: readonly string[]
  readonly runtimeFile: string | undefined
  readonly replaced: readonly string[]
}): string {
  const { out, files, set, runtimeFile } = options
  const replaced = options.replaced.flatMap((host) => ['--replaced', host])
  const runtime = runtimeFile === undefined ? [] : ['--runtime-file', runtimeFile]
  const words = ['muster', 'install', '--plan', out, ...runtime, ...replaced, ...files].map(quote)
  const same = set.length === 0 ? '' : ' and the same --set'
  return `\nThe plan is saved in ${out}. Apply it with this command${same}:\n  ${words.join(' ')}\n`
}
