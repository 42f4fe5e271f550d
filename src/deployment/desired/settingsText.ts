import type { ServerSettings } from '../../contracts/serverSettings.ts'
import type { MapService } from '../../contracts/servicesMap.ts'

/** Data source as `JSON.stringify` indents it; a string in JSON has no line break. */
const dataSource = /\{\n *("name": .*),\n *("host": .*),\n *("port": .*),\n *("role": .*)\n *\}/g

/**
 * Writes settings, or a part of them, as JSON that is indented by two, with each data source on one line: every host
 * has those of all services, and prints its settings in each run.
 */
export const settingsJson = (value: unknown): string =>
  JSON.stringify(value, null, 2).replaceAll(dataSource, '{ $1, $2, $3, $4 }')

/** Returns the text of a settings file. */
export function settingsText(settings: ServerSettings): string {
  const services = settings.services?.services ?? []
  if (services.length === 0) return `${settingsJson(settings)}\n`
  const text = settingsJson({ ...settings, services: { services: [] } })
  return `${text.replace('"services": []', () => `"services": ${servicesText(services)}`)}\n`
}

/** Texts of services maps: all hosts have the same one. */
const servicesTexts = new WeakMap<readonly MapService[], string>()

function servicesText(services: readonly MapService[]): string {
  const text = servicesTexts.get(services) ?? settingsJson(services).replaceAll('\n', '\n    ')
  servicesTexts.set(services, text)
  return text
}
