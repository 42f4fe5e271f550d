import { jsonText } from '../../base/json.ts'
import type { Change, Difference } from '../../config/describe/compare.ts'
import { isSame } from '../../config/describe/compare.ts'
import type { DescribedValue } from '../../config/describe/description.ts'
import { jsonValue } from './json.ts'

const side = (value: DescribedValue | undefined) => (value === undefined ? null : jsonValue(value))

const entries = (changes: readonly Change[]) =>
  Object.fromEntries(
    changes.map(({ name, before, after }) => [name, { before: side(before), after: side(after) }]),
  )

function hostJson(changes: readonly Change[]) {
  const of = (group: Change['group']) => entries(changes.filter((change) => change.group === group))
  return { ...of('host'), ssh: of('ssh'), options: of('options') }
}

/** What differs, host by host, as one JSON object; a side that has no value is null. */
export const diffJson = (difference: Difference): string =>
  jsonText({
    same: isSame(difference),
    cluster: difference.cluster ?? null,
    added: difference.added,
    removed: difference.removed,
    hosts: Object.fromEntries(difference.changed.map(({ host, changes }) => [host, hostJson(changes)])),
  })
