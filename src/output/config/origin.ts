import { masked } from '../../base/printable.ts'
import type { ValueOrigin } from '../../config/describe/description.ts'

/** Where a value came from, in a few words: `muster.yaml:12:5 (defaults)`, `default`, `--set`. */
export function originText({ layer, service, place }: ValueOrigin): string {
  if (layer === 'set') return '--set'
  if (place === undefined) return layer
  const who = service === undefined ? layer : `service ${service}`
  // A file may have any name; its comment must end where its line does.
  const file = masked(place.file).replaceAll(/[\t\n]/g, '\u00b7')
  return `${file}:${place.line}:${place.column} (${who})`
}
