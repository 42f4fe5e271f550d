import { quote } from '../../base/shellWords.ts'
import type { Component } from '../../contracts/component.ts'
import type { InstalledFacts } from '../facts/model.ts'
import { type Layout, type ServiceData, unitName } from '../layout.ts'
import type { ServiceAccount } from '../serviceAccount.ts'
import { startProcesses, stopProcesses } from './processScripts.ts'
import { stopSeconds } from './stopping.ts'

/** Which components of an installation, and what runs them. */
export type ServiceSet = {
  readonly manager: 'systemd' | 'process'
  readonly cluster: string
  readonly layout: Layout
  readonly account: ServiceAccount
  readonly data: ServiceData
  readonly components: readonly Component[]
  /** Milliseconds for which the connector lets its clients finish; `drainTimeoutOf` knows. */
  readonly drainTimeout: number
}

/** What runs the components of an installation now, whatever its file says today. */
export const installedManager = (facts: InstalledFacts): ServiceSet['manager'] =>
  facts.installation.units.size > 0 ? 'systemd' : 'process'

const units = ({ cluster, components }: ServiceSet): string =>
  components.map((component) => quote(unitName(cluster, component))).join(' ')

/** sh that starts what does not run. */
export function startScript(set: ServiceSet): string {
  if (set.components.length === 0) return ':'
  if (set.manager === 'process') return startProcesses(set)
  return `systemctl reset-failed ${units(set)} 2>/dev/null; systemctl start ${units(set)}`
}

/**
 * sh that stops what runs and waits for its end. Processes are stopped in either case: the installation
 * before this one may have had no units.
 */
export function stopScript(set: ServiceSet): string {
  if (set.components.length === 0) return ':'
  const processes = stopProcesses(set)
  if (set.manager === 'process') return processes
  const drains = set.drainTimeout > 0 && set.components.includes('connector')
  return `${processes}\n${drains ? drainScript(set) : ''}systemctl stop ${units(set)}`
}

/**
 * sh that tells a connector to stop and waits for its end, by our own patience: a unit that was just written has the
 * limit of the next connector (TimeoutStopSec), which may drain for less long than this one. The others stop meanwhile.
 */
function drainScript(set: ServiceSet): string {
  const others = set.components.filter((component) => component !== 'connector')
  const stopOthers = others.length === 0 ? '' : `systemctl stop ${units({ ...set, components: others })}\n`
  const unit = quote(unitName(set.cluster, 'connector'))
  return `pid=$(systemctl show --property=MainPID --value ${unit})
if [ "\${pid:-0}" != 0 ] && systemctl kill --kill-who=main --signal=TERM ${unit}; then
${stopOthers}i=0
while kill -0 "$pid" 2>/dev/null && [ "$i" -lt ${stopSeconds(set.drainTimeout) * 5} ]; do i=$((i + 1)); sleep 0.2; done
fi
`
}

/**
 * sh that stops what runs, then starts all. A connector that drains comes last, so that the others are not down
 * for as long.
 */
export function restartScript(set: ServiceSet): string {
  const drains = (component: Component): boolean => component === 'connector' && set.drainTimeout > 0
  const groups = [set.components.filter((one) => !drains(one)), set.components.filter(drains)]
  return groups
    .filter((components) => components.length > 0)
    .map((components) => ({ ...set, components }))
    .map((group) => `{\n${stopScript(group)}\n${startScript(group)}\n}`)
    .join(' && ')
}
