import { commonCalls } from '../../api/calls/commonCalls.ts'
import type { ComponentApi } from '../../api/serve.ts'

/** The API of the replicator. */
export const replicator: ComponentApi = { component: 'replicator', served: commonCalls }
