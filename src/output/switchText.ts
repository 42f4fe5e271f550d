import type { SwitchPlan, SwitchTask } from '../client/switchTask.ts'
import type { SwitchOperation } from '../contracts/managerPayloads.ts'
import type { SwitchEnd } from '../deployment/switchPrimary.ts'

/** Description of the option `--accept`. */
export const acceptWords = 'a reason against the switch that you accept, recorded in the audit log'

/** Default of the option `--to`. */
export const candidateWords: Readonly<Record<SwitchOperation, string>> = {
  switch: 'the replica that is the least behind',
  failover: 'the survivor that has the most',
}

/** Description of the option `--dry-run`. */
export const dryRunWords = 'show what would be done and what speaks against it; change nothing'

/** Writes what a switch or a failover would do: `alpha: db1 -> db2`. */
export const switchPlanText = ({ service, from, to }: SwitchPlan): string =>
  `${service}: ${from ?? 'no primary'} -> ${to ?? 'none'}`

/** Writes what a failover may lose; empty for a switch. */
export const lossText = ({ loss }: SwitchPlan): string => (loss === null ? '' : `  ${loss}\n`)

/** Returns the question before a switch or a failover; `led` names the manager that leads it. */
export function switchQuestion(
  operation: SwitchOperation,
  { service, from, to }: SwitchPlan,
  led = '',
): string {
  const old = `${from ?? 'none'}${operation === 'failover' ? ', which is lost' : ''}`
  return `Make ${to ?? 'none'} the primary of ${service} in place of ${old}${led}? Clients that write wait meanwhile.`
}

/** Lists why a switch is refused: who, why, and what to do about it. */
export const switchRefusalLines = ({ service, refusals }: SwitchPlan): readonly string[] =>
  refusals.flatMap(({ datasource, reason, fix }) => [
    `${datasource ?? service}: ${reason}`,
    ...(fix ?? '')
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line, index) => `${index === 0 ? '  fix: ' : '       '}${line}`),
  ])

const steps = new Map<string, (from: string, to: string, operation: SwitchOperation) => string>([
  ['check', () => 'all servers are read'],
  ['hold', () => 'clients that write wait'],
  ['drain', (from) => `open transactions of ${from} end`],
  [
    'freeze',
    (from, _to, operation) =>
      operation === 'failover' ? `the others leave ${from}` : `${from} becomes read-only`,
  ],
  ['catch-up', (_from, to) => `${to} applies the last transactions`],
  ['promote', (_from, to) => `${to} becomes writable`],
  ['repoint', (_from, to) => `the others follow ${to}`],
  ['release', () => 'clients go on'],
  ['verify', () => 'all servers are read again'],
])

/** Writes the step of a switch: `freeze: db1 becomes read-only`; one of another release by its name alone. */
export function switchStepText(
  { operation, step }: Pick<SwitchTask, 'operation' | 'step'>,
  { from, to }: SwitchPlan,
): string {
  const words = steps.get(step)?.(from ?? 'the old primary', to ?? 'the new primary', operation)
  return words === undefined ? step : `${step}: ${words}`
}

/** Writes the result of a switch: `alpha: db2 is the primary in place of db1; clients were held for 96 ms`. */
export function switchResultText(
  { service }: Pick<SwitchTask, 'service'>,
  { oldPrimary, newPrimary, heldMilliseconds }: NonNullable<SwitchTask['result']>,
): string {
  const waited = heldMilliseconds === null ? '' : `; clients were held for ${waitText(heldMilliseconds)}`
  return `${service}: ${newPrimary} is the primary in place of ${oldPrimary}${waited}`
}

/** Lists the remarks of a switch, and that it is not complete where a server was not seen to follow. */
export function switchRemarksText(
  { operation, state }: Pick<SwitchTask, 'operation' | 'state'>,
  { newPrimary, remarks }: NonNullable<SwitchTask['result']>,
): string {
  const notes = remarks.map((remark) => `note: ${remark}\n`).join('')
  if (state !== 'incomplete') return notes
  return `error: The ${operation} is not complete: a server was not seen to follow ${newPrimary}.\n${notes}`
}

/** Writes how a switch or a failover over SSH ended, for standard output and for standard error. */
export function switchEndText(
  end: SwitchEnd,
  { operation, coordinator }: { readonly operation: SwitchOperation; readonly coordinator: string },
): { readonly out: string; readonly err: string } {
  const error = (err: string): { readonly out: string; readonly err: string } => ({ out: '', err })
  switch (end.kind) {
    case 'ended': {
      const { task } = end
      if (task.result === null) {
        return error(
          `error: The ${operation} failed in the step ${task.step}: ${task.error ?? 'no reason given'}\n` +
            `  fix: Remove the cause, then run muster ${operation} again. \`muster status\` shows the primary.\n`,
        )
      }
      return {
        out: `${switchResultText(task, task.result)}\n`,
        err: switchRemarksText(task, task.result),
      }
    }
    case 'refused':
      return error(`error: The manager of ${coordinator} did not begin the ${operation}: ${end.problem}\n`)
    case 'lost':
      return error(
        `error: The manager of ${coordinator} led the ${operation}, and ${end.problem}.\n` +
          `  fix: Look with \`muster status\` who is the primary. If there is none, run \`muster ${operation}\` again: it first ends this ${operation}.\n`,
      )
  }
}

/** Writes a time that clients waited: `96 ms`, `1.2 s`. */
export const waitText = (milliseconds: number): string =>
  milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(1)} s`
