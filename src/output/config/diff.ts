import { jsonText } from '../../base/json.ts'
import { counted, shortListOf } from '../../base/words.ts'
import {
  type Change,
  type ChangeGroup,
  type Difference,
  groupChanges,
  isSame,
  type SharedChange,
} from '../../config/describe/compare.ts'
import type { DescribedValue, ValueOrigin } from '../../config/describe/description.ts'
import { redacted } from '../../diagnostics/source.ts'
import { paint } from '../paint.ts'
import { jsonValue } from './configJson.ts'
import { originText, yamlValue } from './yamlValue.ts'

const side = (value: DescribedValue | undefined) => (value === undefined ? null : jsonValue(value))

const entries = (changes: readonly Change[]) =>
  Object.fromEntries(
    changes.map(({ name, before, after }) => [name, { before: side(before), after: side(after) }]),
  )

function hostJson(changes: readonly Change[]) {
  const of = (group: Change['group']) => entries(changes.filter((change) => change.group === group))
  return { ...of('host'), ssh: of('ssh'), options: of('options') }
}

/** Writes the difference by host as one JSON object; a missing value is null. */
export const diffJson = (difference: Difference): string =>
  jsonText({
    same: isSame(difference),
    cluster: difference.cluster ?? null,
    added: difference.added,
    removed: difference.removed,
    hosts: Object.fromEntries(difference.changed.map(({ host, changes }) => [host, hostJson(changes)])),
  })

function shown(value: DescribedValue | undefined): string {
  if (value === undefined) return 'not set'
  return value.value === redacted ? redacted : yamlValue(value.value)
}

/** Writes `default`, or the first place and the number of further ones. */
function originsText(origins: readonly ValueOrigin[]): string {
  const [first, ...rest] = origins
  if (first === undefined) return 'not set'
  const more = rest.length === 0 ? '' : ` and ${counted(rest.length, 'more place')}`
  return `${originText(first)}${more}`
}

function changeLines(change: SharedChange, dim: (text: string) => string): readonly string[] {
  const { group, name, before, after, origins } = change
  const title = group === 'ssh' ? `ssh.${name}` : name
  const [old, now] = [shown(before), shown(after)]
  // Two secrets look the same; only the fact that they differ may be shown.
  const values = old === now ? `${now}, changed` : `${old} → ${now}`
  return [`  ${title}: ${values}`, dim(`    ${originsText(origins.before)} → ${originsText(origins.after)}`)]
}

function hostsText(hosts: readonly string[], common: readonly string[]): string {
  return hosts.length > 3 && hosts.length === common.length ? `all ${hosts.length} hosts` : shortListOf(hosts)
}

/** Writes the difference of two configurations for a person, also if there is none. */
export function diffText(difference: Difference, colour: boolean): string {
  const { cluster, added, removed, common } = difference
  const { bold, dim, green, red } = paint(colour)
  if (isSame(difference)) return `Nothing differs: ${counted(common.length, 'host')} compared.\n`
  const hosts = [
    ...added.map((host) => green(`+ ${host} is added`)),
    ...removed.map((host) => red(`- ${host} is removed`)),
  ]
  const group = ({ hosts: names, changes }: ChangeGroup): string =>
    [bold(`${hostsText(names, common)}:`), ...changes.flatMap((change) => changeLines(change, dim))].join(
      '\n',
    )
  const blocks = [
    ...(cluster === undefined ? [] : [`cluster: ${yamlValue(cluster.before)} → ${yamlValue(cluster.after)}`]),
    ...(hosts.length === 0 ? [] : [hosts.join('\n')]),
    ...groupChanges(difference).map(group),
  ]
  return `${blocks.join('\n\n')}\n`
}
