import type { AccessLevel } from '../../contracts/accessLevels.ts'
import type {
  PictureComponent,
  PictureConnector,
  PictureDataSource,
  PictureHost,
  PictureService,
} from '../../contracts/clusterPicture.ts'
import type { Component } from '../../contracts/component.ts'
import { type DataSourceOperation, stateAfter } from '../../contracts/dataSourceOperations.ts'
import type { Policy } from '../../contracts/managerPayloads.ts'
import { byName, shown } from '../text/words.ts'

/** Something that a person can do, with what the confirmation says of it. */
export type Operation = {
  /** The button: `Shun db3`. */
  readonly title: string
  /** Follows of it, in words for people. */
  readonly effect: string
  /** Level that the API asks for; a test holds it to the call's. */
  readonly access: AccessLevel
  /** Has to be typed before it is done; null for what is easily taken back. */
  readonly typed: string | null
  readonly call: Call
  /** What the person has to give. */
  readonly fields?: readonly ('user' | 'password' | 'access')[]
  /** The call of the plan that is shown first. */
  readonly plan?: string
}

export type Call = {
  /** `managers`: each manager keeps its own state; `manager`: any one of them; `hosts`: any component of each host. */
  readonly to: 'managers' | 'manager' | 'hosts' | { readonly host: string; readonly component: Component }
  readonly route: string
  readonly params: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly payload?: (given: Given) => unknown
}

/** What was filled in. */
export type Given = { readonly user: string; readonly password: string; readonly access: string }

/** The page tells each manager itself: where they cannot reach each other, it can over SSH. */
const alone = { peers: 'alone' } as const

const dataSourceWords: Readonly<
  Record<
    DataSourceOperation,
    { readonly title: (name: string) => string; readonly route: string; readonly effect: string }
  >
> = {
  online: {
    title: (name) => `Bring ${name} online`,
    route: 'managerOnline',
    effect: 'Connectors use it again, if it passes its check.',
  },
  offline: {
    title: (name) => `Take ${name} offline`,
    route: 'managerOffline',
    effect: 'Connectors use it no longer. Under the policy AUTOMATIC it comes back by itself.',
  },
  shun: {
    title: (name) => `Shun ${name}`,
    route: 'managerShun',
    effect: 'Takes it out of service: connectors do not use it until somebody welcomes it back.',
  },
  welcome: {
    title: (name) => `Welcome ${name}`,
    route: 'managerWelcome',
    effect: 'Connectors use it again, if it passes its check.',
  },
  recover: {
    title: (name) => `Recover ${name}`,
    route: 'managerRecover',
    effect: 'It becomes OFFLINE; under the policy AUTOMATIC it then comes online by itself.',
  },
}

/** What a data source is part of; `replicator` is its host, where that has a replicator. */
type Surroundings = {
  readonly service?: PictureService | undefined
  readonly replicator?: string | undefined
}

/** Operations on a data source that its state allows. */
export function dataSourceOperations(
  it: PictureDataSource,
  { service, replicator }: Surroundings = {},
): readonly Operation[] {
  // UNKNOWN is shown in place of ONLINE where nobody can check it.
  const state = it.state === 'UNKNOWN' ? 'ONLINE' : it.state
  const params = { service: it.service, datasource: it.name }
  const names: readonly DataSourceOperation[] = ['shun', 'offline', 'welcome', 'recover', 'online']
  const possible = names.flatMap((name): readonly Operation[] => {
    const after = stateAfter(name, state)
    if (after === undefined || after === state) return []
    const { title, route, effect } = dataSourceWords[name]
    const isWriter = it.role === 'primary'
    const takesAway = name === 'shun' || (name === 'offline' && isWriter)
    return [
      {
        title: title(shown(it.name)),
        effect: takesAway && isWriter ? `${effect} It is the primary: clients cannot write.` : effect,
        access: 'operate',
        typed: takesAway ? it.name : null,
        call: { to: 'managers', route, params, query: alone },
      },
    ]
  })
  const repoint: Operation = {
    title: `Recover and re-point ${shown(it.name)}`,
    effect: 'Lets a healthy server that follows the wrong source follow the primary, by GTID.',
    access: 'operate',
    typed: null,
    call: { to: 'manager', route: 'managerRecover', params, query: { ...alone, repoint: 'yes' } },
  }
  const start =
    it.code === 'not-replicating' && replicator !== undefined ? [startOfReplication(replicator)] : []
  if (it.role === 'primary') return [...start, ...possible]
  const canLead = it.state === 'ONLINE' && service !== undefined && service.task?.state !== 'in_progress'
  return [...start, ...possible, ...(canLead ? [switchTo(it)] : []), repoint]
}

const switchEffect = 'while clients wait. Open transactions end first.'

const switchTo = ({ service, name }: PictureDataSource): Operation => ({
  title: `Make ${shown(name)} the primary`,
  effect: `It becomes the primary in place of the one of now, ${switchEffect}`,
  access: 'operate',
  typed: null,
  plan: 'managerSwitchPlan',
  call: { to: 'manager', route: 'managerSwitch', params: { service }, query: { to: name } },
})

const policyWords: Readonly<Record<Policy, { readonly route: string; readonly effect: string }>> = {
  AUTOMATIC: {
    route: 'managerAutomatic',
    effect:
      'Managers monitor, fence failed data sources and bring them back. They replace a lost primary where nothing can be lost.',
  },
  MANUAL: {
    route: 'managerManual',
    effect: 'Managers monitor and fence failed data sources; they do not bring them back.',
  },
  MAINTENANCE: { route: 'managerMaintenance', effect: 'Managers only monitor.' },
}

/** Operations on a service. */
export function serviceOperations(
  service: PictureService,
  datasources: readonly PictureDataSource[],
): readonly Operation[] {
  const own = datasources.filter((it) => it.service === service.name)
  const params = { service: service.name }
  const name = shown(service.name)
  const operations: Operation[] = []
  if (own.length > 1 && service.task?.state !== 'in_progress') {
    operations.push({
      title: `Switch the primary of ${name}`,
      effect: `Another data source becomes the primary, ${switchEffect}`,
      access: 'operate',
      typed: null,
      plan: 'managerSwitchPlan',
      call: { to: 'manager', route: 'managerSwitch', params },
    })
    if (service.writer?.datasource === null) {
      operations.push({
        title: `Replace the lost primary of ${name}`,
        effect: 'The survivor that has the most becomes the primary, while clients wait.',
        access: 'operate',
        typed: service.name,
        plan: 'managerFailoverPlan',
        call: { to: 'manager', route: 'managerFailover', params },
      })
    }
  }
  for (const policy of Object.keys(policyWords) as Policy[]) {
    if (policy === service.policy && service.managersAgree) continue
    operations.push({
      title: `Set policy ${policy} for ${name}`,
      effect: policyWords[policy].effect,
      access: 'operate',
      typed: null,
      call: { to: 'managers', route: policyWords[policy].route, params, query: alone },
    })
  }
  if (own.some(({ state }) => state === 'OFFLINE')) {
    operations.push({
      title: `Bring ${name} online`,
      effect: 'Brings every offline data source of the service online.',
      access: 'operate',
      typed: null,
      call: { to: 'managers', route: 'managerServiceOnline', params, query: alone },
    })
  }
  if (own.some(({ state }) => state === 'ONLINE' || state === 'UNKNOWN')) {
    operations.push({
      title: `Take ${name} offline`,
      effect: 'Takes every online data source of the service offline: clients can neither read nor write.',
      access: 'operate',
      typed: service.name,
      call: { to: 'managers', route: 'managerServiceOffline', params, query: alone },
    })
  }
  return operations
}

/** Operations on the connector of a host. */
export function connectorOperations(host: string, { value }: PictureConnector): readonly Operation[] {
  const to = { host, component: 'connector' } as const
  const name = `connector of ${shown(host)}`
  const operations: Operation[] = []
  const add = (operation: Omit<Operation, 'access' | 'call'>, route: string, query?: Call['query']): void => {
    operations.push({
      ...operation,
      access: 'operate',
      call: { to, route, params: {}, ...(query && { query }) },
    })
  }
  if (value !== 'ONLINE') {
    const effect = 'Accepts and forwards connections; clients that wait go on, in their order.'
    add({ title: `Bring ${name} online`, effect, typed: null }, 'connectorOnline')
  }
  if (value !== 'ONHOLD') {
    const effect = 'New clients wait. Existing connections continue.'
    add({ title: `Put ${name} on hold`, effect, typed: null }, 'connectorOnhold')
  }
  if (value !== 'OFFLINE') {
    const effect = 'Refuses new clients at once. Existing connections may finish first.'
    add({ title: `Take ${name} offline`, effect, typed: host }, 'connectorOffline')
  }
  const effect = 'Refuses new clients, and closes all existing connections at once.'
  add({ title: `Take ${name} offline and close connections`, effect, typed: host }, 'connectorOffline', {
    immediate: 'true',
  })
  return operations
}

const startOfReplication = (host: string): Operation => ({
  title: `Start the replication of ${shown(host)}`,
  effect: 'Starts the replication of every service of this host.',
  access: 'operate',
  typed: null,
  call: { to: { host, component: 'replicator' }, route: 'replicatorOnline', params: {} },
})

/** Operations on the replication of a host. */
export function replicatorOperations(host: string): readonly Operation[] {
  const to = { host, component: 'replicator' } as const
  const name = `the replication of ${shown(host)}`
  return [
    startOfReplication(host),
    {
      title: `Stop ${name}`,
      effect: 'Stops it; the data source falls behind until it is started again.',
      access: 'operate',
      typed: null,
      call: { to, route: 'replicatorOffline', params: {} },
    },
    {
      title: `Reset ${name}`,
      effect:
        'Discards the replication position, only while it is stopped. Without GTIDs the server starts over at the ' +
        "primary's oldest binary log.",
      access: 'full',
      typed: host,
      call: { to, route: 'replicatorReset', params: {} },
    },
  ]
}

/** Operations on a user of all hosts. */
export const userOperations = (user: string): readonly Operation[] => [
  {
    title: `Set password and level of ${shown(user)}`,
    effect: 'The new password and level hold at once, on every chosen host. Sessions of this user end.',
    access: 'full',
    typed: null,
    fields: ['password', 'access'],
    call: {
      to: 'hosts',
      route: 'createAdminUser',
      params: {},
      payload: ({ password, access }) => ({ user, pass: password, access }),
    },
  },
  {
    title: `Unlock ${shown(user)}`,
    effect: 'The user may try again at once after too many wrong passwords.',
    access: 'full',
    typed: null,
    call: { to: 'hosts', route: 'unlock', params: {}, payload: () => ({ value: user }) },
  },
  {
    title: `Delete ${shown(user)}`,
    effect:
      'The user can no longer log in. If your muster.yaml names the user, the next install creates it again.',
    access: 'full',
    typed: user,
    call: { to: 'hosts', route: 'deleteUser', params: {}, payload: () => ({ value: user }) },
  },
]

export const newUserOperation: Operation = {
  title: 'Add the user',
  effect:
    'The user may log in on every chosen host. Name the user in your muster.yaml, too, or the next muster users apply reports it.',
  access: 'full',
  typed: null,
  fields: ['user', 'password', 'access'],
  call: {
    to: 'hosts',
    route: 'createAdminUser',
    params: {},
    payload: ({ user, password, access }) => ({ user, pass: password, access }),
  },
}

/** A component that is called, and those that would be, if they responded. */
export type Receivers = {
  readonly called: readonly { readonly host: string; readonly component: Component }[]
  readonly leftOut: readonly string[]
}

/** Chooses whom a call goes to. A component that nobody asked yet is called, too: it may well keep a state of its own. */
export function receiversOf({ to }: Pick<Call, 'to'>, hosts: readonly PictureHost[]): Receivers {
  if (typeof to === 'object') return { called: [to], leftOut: [] }
  const isReady = ({ state }: PictureComponent): boolean => state === 'ready'
  const responds = ({ state }: PictureComponent): boolean => state !== 'silent' && state !== 'stopped'
  const wanted = (it: PictureHost): readonly PictureComponent[] =>
    to === 'hosts' ? it.components : it.components.filter(({ component }) => component === 'manager')
  const ordered = hosts
    .filter((it) => wanted(it).length > 0)
    .sort((one, other) => byName(one.name, other.name))
  const firstOfEach = (fits: (component: PictureComponent) => boolean): Receivers['called'] =>
    ordered.flatMap((it) => {
      const found = wanted(it).find(fits)
      return found === undefined ? [] : [{ host: it.name, component: found.component }]
    })
  const called = firstOfEach(responds)
  // Any one will do: rather one that is known to work.
  if (to === 'manager') return { called: [...firstOfEach(isReady), ...called].slice(0, 1), leftOut: [] }
  return { called, leftOut: ordered.filter((it) => !wanted(it).some(responds)).map(({ name }) => name) }
}
