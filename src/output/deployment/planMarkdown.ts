import { counted, shortListOf } from '../../base/words.ts'
import type { HostPlan } from '../../deployment/hostPlan.ts'
import { boundedLines, codeSpan, fenced, htmlText, maxComment } from '../markdown.ts'
import { alike, connectorRestartsText, countsOf, countsText, maxListed } from './plan.ts'

/** Limits of the table, whose rows are groups of hosts with equal changes. */
const longestTable = { rows: 100, characters: 20_000 }

const marks = { create: '+', change: '!', delete: '-' } as const

/**
 * Writes the plan as Markdown for a comment on GitHub or GitLab: a table, and per group of equal hosts its steps and
 * diffs, folded. All text of others is in code, where neither Markdown nor HTML nor mentions work. Text that does not
 * fit is counted.
 */
export function planMarkdown(options: {
  readonly cluster: string
  readonly notes: readonly string[]
  readonly plans: readonly HostPlan[]
  /** Hosts of the file that the plan excludes. */
  readonly excluded: readonly string[]
}): string {
  const { cluster, notes, plans, excluded } = options
  const changing = plans.filter(({ steps }) => steps.length > 0)
  const unchanged = plans.filter(({ steps }) => steps.length === 0).map(({ host }) => host)
  const groups = alike(changing)
  const head =
    changing.length === 0
      ? `**Plan for ${codeSpan(cluster)}: nothing to do on ${counted(plans.length, 'host')}**`
      : `**${countsText(countsOf(plans))}** in ${codeSpan(cluster)}`
  const rows = groups.map(({ plan, others }) => {
    const { add, change, remove } = countsOf([plan])
    const hosts = shortListOf([plan.host, ...others].map(codeSpan), maxListed)
    return `| ${hosts} | ${add} | ${change} | ${remove} |`
  })
  const shown = rowsThatFit(rows)
  const beyond = rows.length - shown.length
  const table =
    rows.length === 0
      ? []
      : [
          [
            '| hosts | add | change | remove |',
            '|---|---|---|---|',
            ...shown,
            ...(beyond > 0 ? [`| ${counted(beyond, 'more group')} of hosts | | | |`] : []),
          ].join('\n'),
        ]
  const ending = [
    ...(changing.length === 0 || unchanged.length === 0 ? [] : [`Nothing to do: ${codeList(unchanged)}`]),
    ...(excluded.length === 0 ? [] : [`Not selected: ${codeList(excluded)}`]),
  ]
  const allNotes = [...notes, connectorRestartsText(plans) ?? []].flat()
  const noted = allNotes.length === 0 ? [] : [fenced('text', boundedLines(allNotes, 4_000))]
  const start = [head, ...table, ...noted]
  const rest = maxComment - lengthOf([...start, ...ending]) - reserve
  return `${[...start, ...foldedGroups(groups, rest), ...ending].join('\n\n')}\n`
}

function rowsThatFit(rows: readonly string[]): readonly string[] {
  let left = longestTable.characters
  const fits = rows.findIndex((row, index) => {
    left -= row.length + 1
    return index >= longestTable.rows || left < 0
  })
  return fits === -1 ? rows : rows.slice(0, fits)
}

/** Characters for the line that counts hosts without details. */
const reserve = 200

const lengthOf = (blocks: readonly string[]): number =>
  blocks.reduce((sum, block) => sum + block.length + 2, 0)

/** Folds the steps of each group, as many as fit into `room` characters, and counts the hosts of the others. */
function foldedGroups(groups: ReturnType<typeof alike>, room: number): readonly string[] {
  const blocks: string[] = []
  let left = room
  let hidden = 0
  for (const { plan, others, exactly } of groups) {
    const names = shortListOf([`${plan.host} (${plan.address})`, ...others], maxListed)
    const same = others.length === 0 ? '' : exactly ? ': the same' : ': each with its own name and address'
    const summary = `<details><summary><code>${htmlText(names)}</code>${same}</summary>`
    const frame = summary.length + '\n\n\n\n</details>\n\n'.length
    const lines = plan.steps.flatMap(({ change }) => [
      `${marks[change.kind ?? 'change']} ${change.summary}`,
      ...change.details.map((detail) => `    ${detail}`),
    ])
    const minimum = frame + smallestBlock
    if (hidden > 0 || left < minimum) {
      hidden += 1 + others.length
      continue
    }
    const block = `${summary}\n\n${fenced('diff', boundedLines(lines, left - frame))}\n\n</details>`
    blocks.push(block)
    left -= block.length + 2
  }
  if (hidden === 0) return blocks
  return [
    ...blocks,
    `**${hidden} more ${hidden === 1 ? 'host' : 'hosts'} with changes**: run \`muster plan\`.`,
  ]
}

/** Characters below which a group is only counted. */
const smallestBlock = 400

const codeList = (names: readonly string[]): string => shortListOf(names.map(codeSpan), maxListed)
