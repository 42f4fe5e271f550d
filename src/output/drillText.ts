import { jsonText } from '../base/json.ts'
import { counted, listOf } from '../base/words.ts'
import { type DrillFault, drillName, drillWriters, faultTimeout } from '../contracts/drilling.ts'
import type { DrillPlan, DrillRefusal } from '../deployment/drill/planDrill.ts'
import type { DrillReport, DrillStep } from '../deployment/drill/runDrill.ts'
import type { DrillMoment } from '../deployment/drill/watchService.ts'
import { codeSpan } from './markdown.ts'

const faults: Readonly<Record<DrillFault, string>> = {
  kill: 'the process of its database server is killed; its unit may start it again at once',
  hang: 'its database server is stopped (SIGSTOP) and answers nobody',
  cut: 'it reaches no other host of the service, and none reaches it; SSH from your machine stays',
}

/** Writes what a drill would do, and what it makes for that. */
export function drillPlanText(plan: DrillPlan): string {
  const { service, fault, host, primary, candidates, through, mayStayAway, hasRemains } = plan
  const clients =
    host === primary
      ? `the managers make ${listOf(candidates, 'or')} the primary; clients that write wait some seconds, and some get an error`
      : 'it is a replica: clients that write go on, and those that read it get an error'
  const mayStay = mayStayAway
    ? `  a MySQL keeps commits that no other server received: ${host} may stay FAILED, until \`muster provision ${host}\` makes it anew\n`
    : ''
  const remains = hasRemains ? '  what an earlier drill left of it is removed first\n' : ''
  return `${service}: ${fault} ${host}, the ${host === primary ? 'primary' : 'replica'}
  ${faults[fault]}
  ${clients}
${mayStay}  ${drillWriters} clients write to a database ${drillName} through the connector of ${through.host} (port ${through.port})
  it and an account of this name are made for that, and removed at the end
${remains}  it lasts until the service has dealt with it; ${host} undoes it by itself after ${faultTimeout / 1000} s at the latest
`
}

export const drillQuestion = ({ fault, host, service }: DrillPlan): string =>
  `${fault} ${host}, and try what ${service} loses?`

/** Lists why a drill is refused: who, why, and what to do about it. */
export const drillRefusalText = (service: string, refusals: readonly DrillRefusal[]): string =>
  `error: The drill is refused; nothing was changed.\n${refusals
    .map(({ host, reason, fix }) => `  ${host ?? service}: ${reason}\n    fix: ${fix}\n`)
    .join('')}`

/** Writes a step: `strike: kill db1`. */
export function drillStepText(step: DrillStep, { fault, host, through }: DrillPlan): string {
  switch (step) {
    case 'prepare':
      return `prepare: the database ${drillName} and its account are made`
    case 'write':
      return `write: ${drillWriters} clients write through the connector of ${through.host}`
    case 'strike':
      return `strike: ${fault} ${host}`
    case 'heal':
      return 'heal: the fault is undone'
    case 'prove':
      return 'prove: each server is asked for its rows'
    case 'remove':
      return `remove: the database ${drillName} and its account are removed`
  }
}

const moments: Readonly<Record<DrillMoment, (host: string, primary: string) => string>> = {
  failed: (host) => `${host} is FAILED`,
  primary: (_host, primary) => `${primary} is the primary`,
  row: () => 'the first row that was begun afterwards is acknowledged',
  healed: () => 'the fault is undone',
  online: (host) => `${host} is ONLINE again`,
  whole: () => 'the service is whole again',
}

const secondsText = (milliseconds: number): string => `${(milliseconds / 1000).toFixed(1)} s`

/** Writes a moment: `  1.2 s: db1 is FAILED`. */
export const drillMomentText = (
  moment: DrillMoment,
  {
    after,
    host,
    primary,
  }: { readonly after: number; readonly host: string; readonly primary: string | null },
): string => `  ${secondsText(after)}: ${moments[moment](host, primary ?? 'none')}`

/** lost: a server lacks an acknowledged row. incomplete: something was not seen to be as before. */
export type DrillVerdict = 'passed' | 'lost' | 'incomplete'

/** Returns the verdict on a drill. */
export function drillVerdict({ proofs, problems }: DrillReport): DrillVerdict {
  if (proofs.some(({ follows, proof }) => follows && typeof proof !== 'string' && proof.missing > 0)) {
    return 'lost'
  }
  const isProven = proofs.length > 0 && proofs.every(({ proof }) => typeof proof !== 'string')
  return isProven && problems.length === 0 ? 'passed' : 'incomplete'
}

const verdicts: Readonly<Record<DrillVerdict, string>> = {
  passed: 'nothing was lost, and the service is whole again',
  lost: 'acknowledged rows were lost',
  incomplete: 'not all is as it was before, or was seen to be',
}

function proofText({ follows, proof }: DrillReport['proofs'][number]): string {
  if (typeof proof === 'string') return `its rows could not be read: ${proof}`
  const { missing, examples, unanswered } = proof
  const more = unanswered === 0 ? '' : `, and ${counted(unanswered, 'row')} whose answer was lost`
  if (missing === 0) return `has all of them${more}`
  const since = follows ? '' : ', since it does not follow'
  return `lacks ${counted(missing, 'row')} (writer:row ${examples.join(', ')})${since}${more}`
}

/** Sentences of a report, each a fact. */
function factsOf({ plan, rows, newPrimary }: DrillReport): readonly string[] {
  const { refused } = rows
  return [
    newPrimary === null || newPrimary === plan.primary
      ? `${plan.primary} stayed the primary`
      : `${newPrimary} is the primary in place of ${plan.primary}`,
    `${counted(rows.acknowledged, 'row')} acknowledged; longest pause of a client ${secondsText(rows.longestPause)}`,
    `${counted(refused.rows, 'row')} refused`,
  ]
}

/** Writes the result for the terminal. */
export function drillEndText(report: DrillReport): { readonly out: string; readonly err: string } {
  const { plan, proofs, problems, rows } = report
  const lines = [
    ...factsOf(report),
    ...rows.refused.messages.map(({ message, rows: times }) => `  ${times} times: ${message}`),
    ...proofs.map((it) => `${it.host} ${proofText(it)}`),
  ]
  const verdict = drillVerdict(report)
  const words = `${plan.service}: ${verdicts[verdict]}\n`
  return {
    out: `${lines.map((line) => `${line}\n`).join('')}${verdict === 'passed' ? words : ''}`,
    err: verdict === 'passed' ? '' : `error: ${words}${problems.map((problem) => `  ${problem}\n`).join('')}`,
  }
}

/** Facts of a report beside what was seen. */
type About = { readonly cluster: string; readonly started: Date; readonly version: string }

/** Writes a report as JSON. */
export const drillJson = (report: DrillReport, { cluster, started, version }: About): string =>
  jsonText({ cluster, version, started, verdict: drillVerdict(report), ...report })

/** Writes a report as Markdown. All text of hosts is in code, where it is no markup. */
export function drillMarkdown(report: DrillReport, { cluster, started, version }: About): string {
  const { plan, proofs, problems, rows, newPrimary, interrupted } = report
  const table = (head: string, lines: readonly string[]): string =>
    [`| ${head} |`, `|${'---|'.repeat(head.split('|').length)}`, ...lines.map((line) => `| ${line} |`)].join(
      '\n',
    )
  const seen = Object.entries(report.moments) as [DrillMoment, number][]
  const blocks = [
    `# Drill of ${codeSpan(cluster)}: ${plan.fault} ${codeSpan(plan.host)}`,
    `**${verdicts[drillVerdict(report)]}**${interrupted ? ' (ended early by Ctrl-C)' : ''}`,
    `${started.toISOString()}, service ${codeSpan(plan.service)}, muster ${version}. Times are since the fault, at ${report.struck.toISOString()}.`,
    table(
      'seconds | what was seen',
      seen
        .toSorted(([, one], [, other]) => one - other)
        .map(
          ([moment, after]) =>
            `${(after / 1000).toFixed(1)} | ${moments[moment](plan.host, newPrimary ?? 'none')}`,
        ),
    ),
    factsOf(report)
      .map((fact) => `- ${fact}`)
      .join('\n'),
    ...(rows.refused.messages.length === 0
      ? []
      : [
          table(
            'refused rows | message',
            rows.refused.messages.map(({ message, rows: times }) => `${times} | ${codeSpan(message)}`),
          ),
        ]),
    table(
      'server | acknowledged rows',
      proofs.map((it) => `${codeSpan(it.host)} | ${codeSpan(proofText(it))}`),
    ),
    ...(problems.length === 0 ? [] : [problems.map((problem) => `- ${codeSpan(problem)}`).join('\n')]),
  ]
  return `${blocks.join('\n\n')}\n`
}
