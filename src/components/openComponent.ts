import type { FastifyBaseLogger } from 'fastify'
import type { ServerSettings } from '../contracts/serverSettings.ts'
import { componentApis } from './componentApis.ts'
import { openConnector } from './connector/connector.ts'
import type { OpenedComponent } from './openedComponent.ts'
import { openReplicator } from './replicator/replicator.ts'

/** A component as its settings say, not started yet. May throw a `StartError`. */
export function openComponent(settings: ServerSettings, log: FastifyBaseLogger): OpenedComponent {
  if (settings.component === 'replicator') return openReplicator(settings)
  if (settings.component === 'connector') return openConnector(settings, log)
  return { api: componentApis[settings.component], close: () => undefined }
}
