import type { Component } from '../contracts/component.ts'
import type { ServerSettings } from '../contracts/serverSettings.ts'
import type { ComponentLog, OpenedComponent } from './openedComponent.ts'

/** Said at the start of a component that has no database to work on. */
const withoutDatabase = {
  manager: 'no database configured: the manager serves users and status only',
  connector:
    'no database configured: the connector opens no port for clients and serves users and status only',
  replicator: 'no database configured: the replicator steers no replication and serves users and status only',
} as const satisfies Readonly<Record<Component, string>>

/** Returns true if the settings give the component data sources or a database of its own. */
const hasDatabase = ({ component, services, proxy, database }: ServerSettings): boolean => {
  if (component === 'replicator') return database !== undefined
  const hasSources = services?.services.some(({ datasources }) => datasources.length > 0) === true
  return hasSources && (component === 'manager' || proxy !== undefined)
}

/** A component as its settings say, not started yet; nothing of the others is loaded. May reject with a `StartError`. */
export async function openComponent(settings: ServerSettings, log: ComponentLog): Promise<OpenedComponent> {
  if (!hasDatabase(settings)) log.info(withoutDatabase[settings.component])
  else if (settings.component === 'manager' && !settings.monitor) {
    log.warn('monitor-user is not set: data sources are not checked and shown as UNKNOWN')
  }
  if (settings.component === 'replicator') {
    const { openReplicator } = await import('./replicator/replicator.ts')
    return openReplicator(settings)
  }
  if (settings.component === 'connector') {
    const { openConnector } = await import('./connector/connector.ts')
    return openConnector(settings, log)
  }
  const { openManager } = await import('./manager/manager.ts')
  return openManager(settings, { log })
}
