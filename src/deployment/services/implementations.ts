import { type ServiceManagerName, serviceManagerNames } from '../../config/settings/serviceManagerNames.ts'
import type { HostFacts, InstalledFacts } from '../facts/hostFacts.ts'
import type { ServiceData } from '../layout.ts'
import { processManager } from './processManager.ts'
import type { ServiceDefinitions, ServiceManager } from './serviceManager.ts'
import { systemd } from './systemd.ts'

/** Every service manager by its name in the file. */
export const serviceManagers: Readonly<Record<ServiceManagerName, ServiceManager>> = {
  systemd,
  process: processManager,
}

/** Manager if no other one is available or has anything installed. */
const fallback: ServiceManagerName = 'process'

/** Returns the manager for `service-manager: auto`: the first one that is available with this login. */
export const automaticManager = (facts: HostFacts): ServiceManagerName =>
  serviceManagerNames.find((name) => {
    const { needsRoot, unavailable } = serviceManagers[name]
    return (facts.uid === 0 || !needsRoot) && unavailable(facts) === undefined
  }) ?? fallback

/** Returns what runs the components of an installation now, whatever its file says today. */
export const installedManager = ({ installation }: InstalledFacts): ServiceManagerName =>
  installation.units.size === 0 ? fallback : (installation.definedBy ?? 'systemd')

/** Returns the definitions that the managers on a host may know, except those of one manager. */
export const allDefinitions = (
  options: { readonly except?: ServiceManagerName } = {},
): readonly ServiceDefinitions[] =>
  serviceManagerNames.flatMap((name) =>
    name === options.except ? [] : (serviceManagers[name].definitions ?? []),
  )

/** Logs of service managers, with the path of a component's definition that shows which manager runs it. */
export const keptLogs = serviceManagerNames.flatMap((name) => {
  const { logs, definitions } = serviceManagers[name]
  return logs === undefined || definitions === undefined ? [] : [{ logs, path: definitions.path }]
})

/** Returns the paths of the service's own files in a place. */
export const serviceData = (
  place: ServiceManagerName,
  at: { readonly root: string; readonly cluster: string },
): ServiceData => serviceManagers[place].data(at)
