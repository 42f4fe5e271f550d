import type { Component } from '../../contracts/component.ts'
import { serviceManagers } from './implementations.ts'
import type { ServiceSet } from './serviceManager.ts'

export const startServices = (set: ServiceSet): string =>
  set.components.length === 0 ? ':' : serviceManagers[set.manager].start(set)

/** Returns sh that stops running components and waits for their end. */
export const stopServices = (set: ServiceSet): string =>
  set.components.length === 0 ? ':' : serviceManagers[set.manager].stop(set)

/**
 * Returns sh that stops running components, then starts all. A connector that drains comes last, to keep the downtime
 * of the others short.
 */
export function restartServices(set: ServiceSet): string {
  const drains = (component: Component): boolean => component === 'connector' && set.drainTimeout > 0
  const groups = [set.components.filter((one) => !drains(one)), set.components.filter(drains)]
  return groups
    .filter((components) => components.length > 0)
    .map((components) => ({ ...set, components }))
    .map((group) => `{\n${stopServices(group)}\n${startServices(group)}\n}`)
    .join(' && ')
}
