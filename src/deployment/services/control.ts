import type { Component } from '../../contracts/component.ts'
import { quote } from '../../transport/shellWords.ts'
import type { HostFacts } from '../facts/model.ts'
import { type Layout, unitDirectory, unitName } from '../layout.ts'
import { startProcesses, stopProcesses } from './processScripts.ts'

/** Which components of an installation, and what runs them. */
export type ServiceSet = {
  readonly manager: 'systemd' | 'process'
  readonly cluster: string
  readonly layout: Layout
  readonly components: readonly Component[]
}

/** What runs the components of an installation now, whatever its file says today. */
export const installedManager = (facts: HostFacts): ServiceSet['manager'] =>
  [...facts.installation.files.keys()].some((path) => path.startsWith(`${unitDirectory}/`))
    ? 'systemd'
    : 'process'

const units = ({ cluster, components }: ServiceSet): string =>
  components.map((component) => quote(unitName(cluster, component))).join(' ')

/** sh that starts what does not run. */
export function startScript(set: ServiceSet): string {
  if (set.components.length === 0) return ':'
  if (set.manager === 'process') return startProcesses(set.layout, set.components)
  return `systemctl reset-failed ${units(set)} 2>/dev/null; systemctl start ${units(set)}`
}

/**
 * sh that stops what runs and waits for its end. Processes are stopped in either case: the installation
 * before this one may have had no units.
 */
export function stopScript(set: ServiceSet): string {
  if (set.components.length === 0) return ':'
  const processes = stopProcesses(set.layout, set.components)
  return set.manager === 'process' ? processes : `${processes}\nsystemctl stop ${units(set)}`
}

/** sh that stops what runs, then starts all. */
export const restartScript = (set: ServiceSet): string => `${stopScript(set)}\n${startScript(set)}`

/** sh that prints the last lines a component itself logged (not what systemd says of it). */
export function logScript(set: ServiceSet, component: Component, lines: number): string {
  return set.manager === 'process'
    ? `tail -n ${lines} ${quote(set.layout.logFile(component))} 2>/dev/null`
    : `journalctl --no-pager -o cat -n ${lines} -u ${quote(unitName(set.cluster, component))} -t muster-${component} 2>/dev/null`
}
