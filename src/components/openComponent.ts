import { hasDatabase, withoutDatabase } from '../contracts/component.ts'
import type { ServerSettings } from '../contracts/serverSettings.ts'
import assets from '../web/page.json' with { type: 'json' }
import type { ComponentLog, OpenedComponent } from './openedComponent.ts'

/** Opens the component of the settings without starting it; loads no code of the others. May reject with a `StartError`. */
export async function openComponent(
  settings: ServerSettings,
  log: ComponentLog,
  /** Ends a manager so that its unit kills the database server of its host; undefined where no unit does. */
  crash?: () => void,
): Promise<OpenedComponent> {
  if (!hasDatabase({ ...settings, services: settings.services?.services ?? [] }))
    log.info(withoutDatabase[settings.component])
  else if (settings.component === 'manager' && !settings.monitor) {
    log.warn('monitor-user is not set: data sources are not checked and shown as UNKNOWN')
  }
  if (settings.component === 'replicator') {
    const { openReplicator } = await import('./replicator/replicator.ts')
    return openReplicator(settings, log)
  }
  if (settings.component === 'connector') {
    const { openConnector } = await import('./connector/connector.ts')
    return openConnector(settings, log)
  }
  const { openManager } = await import('./manager/manager.ts')
  return openManager(settings, { log, assets, crash })
}
