import { hostAddress } from '../types/addresses.ts'
import { listOfType } from '../types/listTypes.ts'
import { boolean } from '../types/scalars.ts'
import { setting } from './setting.ts'

const scope = 'options'

/** Callers that the APIs accept (options.md, "The options"). */
export const accessOptions = {
  remoteBootstrap: setting({
    name: 'rest-api-remote-bootstrap',
    scope,
    type: boolean,
    default: false,
  }),
  allowedHosts: setting({
    name: 'rest-api-allowed-hosts',
    scope,
    type: listOfType(hostAddress, 'a list of host names and IP addresses, without ports'),
    default: [],
  }),
} as const
