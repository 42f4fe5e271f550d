import type { SeenService } from './clusterView.ts'

/** Returns why a data source cannot be made anew from another one; undefined where it can. */
export function refusalOf(
  { name, writer, datasources }: SeenService,
  { target, source }: { readonly target: string; readonly source: string | undefined },
): { readonly reason: string; readonly fix: string } | undefined {
  if (writer.datasource === target) {
    return { reason: `it is the primary of ${name}`, fix: 'Make another one the primary: `muster switch`.' }
  }
  if (writer.datasource === null) {
    return { reason: `${name} has no primary to follow`, fix: 'Give it one: see `muster status`.' }
  }
  const other = 'Choose another host with --from: `muster status` shows which are ONLINE.'
  if (source === target) return { reason: 'it cannot be made anew from itself', fix: other }
  const state = datasources.find((it) => it.name === source)?.state
  if (source === undefined) return { reason: `no other data source of ${name} is ONLINE`, fix: other }
  if (state === undefined) return { reason: `${source} is no data source of ${name}`, fix: other }
  return state === 'ONLINE' ? undefined : { reason: `${source} is ${state}, and not ONLINE`, fix: other }
}
