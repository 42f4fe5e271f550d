import { counted, shortListOf } from '../../base/words.ts'
import type { HostOutcome } from '../../deployment/events.ts'
import { groupBy } from '../../diagnostics/groupBy.ts'
import { paint } from '../paint.ts'
import { hostLines, maxHostLines } from './hostLines.ts'

/**
 * Changes of one host with the same result: `staged`, `committed`, `committed and rolled back`, or all
 * `changed`.
 */
type Changes = { readonly host: string; readonly what: string; readonly titles: readonly string[] }

/** Groups the changes of one host by result; empty without changes. */
function changesOf(
  outcome: Pick<HostOutcome, 'host' | 'result' | 'applied' | 'staged' | 'undone'>,
): readonly Changes[] {
  const { host, result, applied, undone } = outcome
  // Records of older releases do not have the number; a host that did not start has staged at most.
  const staged = result === 'not-started' ? applied.length : (outcome.staged ?? 0)
  const all: readonly Changes[] =
    result === 'changed'
      ? [{ host, what: 'changed', titles: applied }]
      : [
          { host, what: 'staged', titles: applied.slice(0, staged) },
          {
            host,
            what: undone === true ? 'committed and rolled back' : 'committed',
            titles: applied.slice(staged),
          },
        ]
  return all.filter(({ titles }) => titles.length > 0)
}

/**
 * Lists staged, committed and reverted changes, once for all hosts with the same ones; empty without changes.
 */
export function changesText(outcomes: readonly Parameters<typeof changesOf>[0][], colour: boolean): string {
  const { dim } = paint(colour)
  return groupBy(outcomes.flatMap(changesOf), ({ what, titles }) => JSON.stringify([what, titles]))
    .map((alike) => {
      const [{ what, titles }] = alike
      const hosts = shortListOf(
        alike.map(({ host }) => host),
        8,
      )
      return `${what} on ${hosts}:\n${dim(titles.map((title) => `  ${title}`).join('\n'))}\n`
    })
    .join('')
}

const words: Readonly<Record<HostOutcome['result'], string>> = {
  changed: 'done',
  unchanged: 'nothing to do',
  failed: 'failed',
  unreachable: 'unreachable',
  stopped: 'stopped',
  'not-started': 'not started',
}

/** Writes the last lines: result of each host and duration of each phase. */
export function summaryText(
  outcomes: readonly HostOutcome[],
  { colour, width }: { readonly colour: boolean; readonly width?: number },
): string {
  const { dim } = paint(colour)
  const many = outcomes.length > maxHostLines
  const said = groupBy(outcomes, many ? sameKey : ({ host }) => host).map((group) => {
    const [first] = group
    const times = timesOf(group)
    const text = `${tint(first.result, colour)(textOf(first))}${times === '' ? '' : dim(` (${times})`)}`
    return { hosts: group.map(({ host }) => host), text }
  })
  return hostLines(said, { all: outcomes.length, colour, ...(width !== undefined && { width }) })
}

/** Key of equal results; failures are never merged. */
const sameKey = (outcome: HostOutcome): string =>
  outcome.result === 'failed' ? `failed ${outcome.host}` : textOf(outcome)

function textOf(outcome: HostOutcome): string {
  const { result, applied, proved, reason, left } = outcome
  const why = reason === undefined ? [] : [reason]
  const proof = proved === undefined ? [] : [proved]
  switch (result) {
    case 'changed':
      return withColon(words[result], [counted(applied.length, 'change'), ...proof])
    case 'failed':
    case 'unreachable':
      return withColon(words[result], unfinishedChanges(outcome))
    case 'not-started':
      return withColon(words[result], [
        ...why,
        ...(applied.length === 0 ? [] : [...unfinishedChanges(outcome), 'none committed']),
      ])
    case 'stopped': {
      const still = left === undefined ? [] : [`left: ${left.join(', ')}`]
      return withColon(words[result], [...why, ...unfinishedChanges(outcome), ...still])
    }
    default:
      return [words[result], ...proof].join(', ')
  }
}

const withColon = (word: string, rest: readonly string[]): string =>
  rest.length === 0 ? word : `${word}: ${rest.join(', ')}`

/**
 * Lists the progress of a host that did not finish: `4 changes staged`, `2 changes committed and rolled back`.
 */
function unfinishedChanges(outcome: HostOutcome): readonly string[] {
  const changes = changesOf(outcome)
  const begun = outcome.undone === true && !changes.some(({ what }) => what.endsWith('rolled back'))
  return [
    ...changes.map(({ what, titles }) => `${counted(titles.length, 'change')} ${what}`),
    ...(begun ? ['the failed change was rolled back'] : []),
  ]
}

/** Writes `commit 1.3 s, verify 0.3 s`; for several hosts the shortest and the longest time. */
function timesOf(outcomes: readonly HostOutcome[]): string {
  const phases = new Map<string, number[]>()
  for (const { seconds } of outcomes) {
    for (const [phase, value] of Object.entries(seconds)) {
      if (value >= 0.05) phases.set(phase, [...(phases.get(phase) ?? []), value])
    }
  }
  return [...phases]
    .map(([phase, values]) => {
      const [least, most] = [Math.min(...values).toFixed(1), Math.max(...values).toFixed(1)]
      return `${phase} ${least === most ? least : `${least} to ${most}`} s`
    })
    .join(', ')
}

function tint(result: HostOutcome['result'], colour: boolean): (text: string) => string {
  const { green, red, yellow } = paint(colour)
  if (result === 'failed' || result === 'unreachable') return red
  return result === 'not-started' || result === 'stopped' ? yellow : green
}
