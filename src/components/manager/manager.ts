import { commonCalls } from '../../api/calls/commonCalls.ts'
import type { ComponentApi } from '../../api/serve.ts'

/** The API of the manager. */
export const manager: ComponentApi = { component: 'manager', served: commonCalls }
