import type { HostOutcome } from '../events.ts'
import type { HostProgress } from './hostRun.ts'

export function outcomeOf(progress: HostProgress): HostOutcome {
  const { work, applied, seconds, failure, proved, undone } = progress
  const result = resultOf(progress)
  const staged = stagedCount(progress)
  return {
    host: work.host,
    result,
    applied,
    ...(staged === 0 ? {} : { staged }),
    seconds,
    ...(failure === undefined ? {} : { failure }),
    ...(proved === undefined ? {} : { proved }),
    ...(undone === true ? { undone } : {}),
    ...(result === 'stopped' ? { left: remainingSteps(progress) } : {}),
  }
}

/** Counts the applied steps of the stage phase; steps are applied in phase order. */
const stagedCount = ({ work, applied }: HostProgress): number =>
  Math.min(applied.length, work.steps.filter(({ step }) => step.phase === 'stage').length)

function resultOf(progress: HostProgress): HostOutcome['result'] {
  const { work, applied, seconds, failure, unreachable } = progress
  if (failure !== undefined) return unreachable === true ? 'unreachable' : 'failed'
  if (work.steps.length === 0) return 'unchanged'
  if (seconds.commit === undefined) return 'not-started'
  return remainingSteps(progress).length > 0 ? 'stopped' : applied.length > 0 ? 'changed' : 'unchanged'
}

/** Returns the remaining steps of a host that was stopped. */
function remainingSteps({ work, applied, proved }: HostProgress): readonly string[] {
  const of = (...phases: readonly string[]): readonly string[] =>
    work.steps.filter(({ step }) => phases.includes(step.phase)).map(({ change }) => change.summary)
  const ahead = of('stage', 'commit')
  const proof = work.verify === undefined || proved !== undefined ? [] : ['verification']
  const tidied = Math.max(0, applied.length - ahead.length)
  return [...ahead.slice(applied.length), ...proof, ...of('verify').slice(tidied)]
}
