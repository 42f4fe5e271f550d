import type { ClusterPicture } from '../contracts/clusterPicture.ts'
import type { DashboardEvent } from '../contracts/dashboard.ts'

/** Parts of a picture that events carry, by a key of each; as JSON, by which they are compared. */
export type PictureParts = ReadonlyMap<string, string>

type WithoutTime<Event> = Event extends unknown ? Omit<Event, 'time'> : never

/** Event without its time. */
export type PictureChange = WithoutTime<Exclude<DashboardEvent, { kind: 'snapshot' | 'session' }>>

const separator = '\u0000'

const keyOf = (...words: readonly string[]): string => words.join(separator)

/** Changes that would bring somebody who knows nothing to this picture, by the keys of its parts. */
function* allOf(picture: ClusterPicture): Generator<readonly [string, PictureChange, unknown]> {
  const { name: cluster, verdict } = picture
  for (const service of picture.services)
    yield [keyOf('service', service.name), { kind: 'service', cluster, service }, service]
  for (const datasource of picture.datasources)
    yield [
      keyOf('datasource', datasource.name, datasource.service),
      { kind: 'datasource', cluster, datasource },
      datasource,
    ]
  for (const host of picture.hosts) yield [keyOf('host', host.name), { kind: 'host', cluster, host }, host]
  yield [keyOf('verdict'), { kind: 'verdict', cluster, verdict }, verdict]
}

function removal(cluster: string, key: string): PictureChange {
  const [what, name = '', service] = key.split(separator)
  return {
    kind: 'removed',
    cluster,
    what: what as 'service' | 'datasource' | 'host',
    ...(service === undefined ? {} : { service }),
    name,
  }
}

/** Returns the parts of a picture, and the changes that lead to it from another one's parts. */
export function comparePicture(
  picture: ClusterPicture,
  before: PictureParts,
): { readonly parts: PictureParts; readonly changes: readonly PictureChange[] } {
  const parts = new Map<string, string>()
  const changes: PictureChange[] = []
  for (const [key, change, value] of allOf(picture)) {
    const text = JSON.stringify(value)
    parts.set(key, text)
    if (before.get(key) !== text) changes.push(change)
  }
  const removed = [...before.keys()].filter((key) => !parts.has(key))
  return { parts, changes: [...removed.map((key) => removal(picture.name, key)), ...changes] }
}
