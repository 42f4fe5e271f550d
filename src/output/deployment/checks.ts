import { jsonText } from '../../base/json.ts'
import { printable } from '../../base/printable.ts'
import { counted, listOf, shortListOf } from '../../base/words.ts'
import { wrap } from '../../base/wrapping.ts'
import { withoutNames } from '../../deployment/hostPlan.ts'
import type { CheckResult, HostChecks } from '../../deployment/preflight/checkHosts.ts'
import { paint } from '../paint.ts'

/**
 * A finding and all its hosts; `exactly`: with equal text, otherwise equal except for their own names and
 * addresses.
 */
type Row = {
  readonly hosts: string[]
  readonly found: Exclude<CheckResult, { result: 'ok' }>
  exactly: boolean
}

export type ChecksOptions = {
  readonly cluster: string
  readonly hosts: readonly HostChecks[]
  readonly colour: boolean
  /** Columns of the terminal. */
  readonly width: number
}

const titles = ['HOST', 'RESULT', 'CHECK', 'PROBLEM AND FIX'] as const

/** Columns for the names of hosts; longer lists are wrapped. */
const widestHosts = 20

/** Lists the findings that are not ok and a line of counts; merges equal findings of several hosts. */
export function checksText(options: ChecksOptions): string {
  const rows = rowsOf(options.hosts)
  const table = rows.length === 0 ? '' : `${tableOf(rows, options).join('\n')}\n\n`
  return `${table}${wrap(countsOf(options), { width: options.width, first: '', rest: '' }).join('\n')}\n`
}

function rowsOf(hosts: readonly HostChecks[]): readonly Row[] {
  const rows = new Map<string, Row>()
  for (const one of hosts) {
    const { host, results } = one
    const failures = results.filter(({ result }) => result === 'failure')
    for (const found of [...failures, ...results.filter(({ result }) => result === 'warning')]) {
      if (found.result === 'ok') continue
      const key = withoutNames(one, JSON.stringify(found))
      const row = rows.get(key)
      if (row === undefined) rows.set(key, { hosts: [host], found, exactly: true })
      else {
        row.hosts.push(host)
        row.exactly &&= JSON.stringify(row.found) === JSON.stringify(found)
      }
    }
  }
  return [...rows.values()]
}

function tableOf(rows: readonly Row[], { hosts, colour, width }: ChecksOptions): readonly string[] {
  const { bold, dim, red, yellow } = paint(colour)
  const names = rows.map((row) => namesOf(row, hosts.length))
  const longest = Math.max(titles[0].length, ...names.map((text) => text.length))
  const hostWidth = Math.min(widestHosts, longest)
  const checkWidth = Math.max(titles[2].length, ...rows.map(({ found }) => found.check.length))
  const textWidth = Math.max(24, width - hostWidth - checkWidth - 'failure'.length - 6)
  const inColumn = (text: string, columns: number): readonly string[] =>
    wrap(printable(text).replaceAll('\n', ' '), { width: columns, first: '', rest: '' })
  const head = `${titles[0].padEnd(hostWidth)}  ${titles[1].padEnd(7)}  ${titles[2].padEnd(checkWidth)}  ${titles[3]}`
  const lines = rows.flatMap(({ found, exactly }, index) => {
    const left = names[index] === names[index - 1] ? [] : inColumn(names[index] ?? '', hostWidth)
    const right = [
      ...inColumn(
        `${found.reason}${exactly ? '' : '; the same on the others, each with its own name and address'}`,
        textWidth,
      ),
      ...inColumn(`fix: ${found.fix}`, textWidth),
    ]
    const tint = found.result === 'failure' ? red : yellow
    return Array.from({ length: Math.max(left.length, right.length) }, (_, line) => {
      const result = line === 0 ? found.result : ''
      const check = line === 0 ? found.check : ''
      return [
        bold((left[line] ?? '').padEnd(hostWidth)),
        tint(result.padEnd(7)),
        check.padEnd(checkWidth),
        right[line] ?? '',
      ].join('  ')
    })
  })
  return [dim(head), ...lines].map((line) => line.trimEnd())
}

function namesOf({ hosts }: Row, all: number): string {
  return hosts.length > 2 && hosts.length === all ? `all ${all} hosts` : shortListOf(hosts)
}

/** Counts hosts and checks by result. */
function countsOf({ cluster, hosts }: ChecksOptions): string {
  const results = hosts.flatMap((one) => one.results)
  const some = (result: CheckResult['result']): number =>
    results.filter((one) => one.result === result).length
  const counts = [
    `${some('ok')} ok`,
    ...(some('warning') === 0 ? [] : [counted(some('warning'), 'warning')]),
    ...(some('failure') === 0 ? [] : [counted(some('failure'), 'failure')]),
  ]
  const unreachable = hosts.filter(({ state }) => state === 'unreachable').length
  const silent = unreachable === 0 ? '' : ` ${counted(unreachable, 'host')} unreachable.`
  return `${cluster}: ${counted(results.length, 'check')} on ${counted(hosts.length, 'host')}: ${listOf(counts)}.${silent}`
}

/** Writes all results as JSON, including those that are ok. */
export function checksJson({ cluster, hosts }: Pick<ChecksOptions, 'cluster' | 'hosts'>): string {
  const rows = hosts.map(({ results, ...host }) => ({ ...host, checks: results.map(withoutScript) }))
  return jsonText({ cluster, hosts: rows })
}

/** Removes the script of a fix: it is not a stable interface. */
function withoutScript(found: CheckResult): object {
  if (found.result === 'ok' || found.remedy === undefined) return found
  return { ...found, remedy: found.remedy.summary }
}
