import type { ComponentApi } from '../api/serve.ts'
import type { ServerSettings } from '../contracts/serverSettings.ts'
import { componentApis } from './componentApis.ts'
import { openReplicator } from './replicator/replicator.ts'

/** A component as its settings say, and what lets go of all that it holds. May throw a `StartError`. */
export function openComponent(settings: ServerSettings): { readonly api: ComponentApi; close(): void } {
  if (settings.component === 'replicator') return openReplicator(settings)
  return { api: componentApis[settings.component], close: () => undefined }
}
