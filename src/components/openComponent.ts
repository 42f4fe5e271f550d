import type { ServerSettings } from '../contracts/serverSettings.ts'
import { openConnector } from './connector/connector.ts'
import { openManager } from './manager/manager.ts'
import type { ComponentLog, OpenedComponent } from './openedComponent.ts'
import { openReplicator } from './replicator/replicator.ts'

/** A component as its settings say, not started yet. May throw a `StartError`. */
export function openComponent(settings: ServerSettings, log: ComponentLog): OpenedComponent {
  if (settings.component === 'replicator') return openReplicator(settings)
  if (settings.component === 'connector') return openConnector(settings, log)
  return openManager(settings, { log })
}
