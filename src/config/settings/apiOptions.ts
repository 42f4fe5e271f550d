import { type Component, defaultClusterPort, defaultPorts } from '../../contracts/component.ts'
import { listenAddress } from '../types/addresses.ts'
import { boolean, portType } from '../types/scalars.ts'
import { setting } from './setting.ts'

/** Builds the options of one component's API (specification section 1, "Deployment options"). */
const apiOptionsOf = (component: Component) => ({
  enabled: setting({
    name: `${component}-rest-api`,
    scope: 'options',
    component,
    type: boolean,
    default: true,
  }),
  port: setting({
    name: `${component}-rest-api-port`,
    scope: 'options',
    component,
    type: portType(defaultPorts[component]),
    default: defaultPorts[component],
  }),
  address: setting({
    name: `${component}-rest-api-address`,
    scope: 'options',
    component,
    type: listenAddress,
    default: '127.0.0.1',
  }),
})

export const apiOptions = {
  manager: apiOptionsOf('manager'),
  connector: apiOptionsOf('connector'),
  replicator: apiOptionsOf('replicator'),
} as const satisfies Readonly<Record<Component, unknown>>

/** Port at which the manager of a host takes calls of the other hosts of its services. */
export const clusterPortOption = setting({
  name: 'cluster-port',
  scope: 'options',
  component: 'manager',
  type: portType(defaultClusterPort),
  default: defaultClusterPort,
})

/** Page of the manager for browsers. */
export const dashboardOption = setting({
  name: 'manager-dashboard',
  scope: 'options',
  component: 'manager',
  type: boolean,
  default: true,
})
