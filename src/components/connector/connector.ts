import { commonCalls } from '../../api/calls/commonCalls.ts'
import type { ComponentApi } from '../../api/serve.ts'

/** The API of the connector. */
export const connector: ComponentApi = { component: 'connector', served: commonCalls }
