import { randomBytes } from 'node:crypto'
import type { ApiContext } from '../../api/apiContext.ts'
import { type Call, type ServedRoute, serve } from '../../api/serve.ts'
import { createEventLog } from '../../base/eventLog.ts'
import type { EventStream, Events } from '../../base/eventStreams.ts'
import type { ConnectorStatusPayload } from '../../contracts/connectorPayloads.ts'
import { envelope } from '../../contracts/envelope.ts'
import { hostRoutes } from '../../contracts/hostRoutes.ts'
import {
  DatasourceStatusPayload,
  type HostConnector,
  type ManagerEventPayload,
  type ServiceStatusPayload,
  StatusPayload,
} from '../../contracts/managerPayloads.ts'
import { managerRoutes } from '../../contracts/managerRoutes.ts'
import { type Clock, realClock } from '../clock.ts'
import { keyOf } from './dataSources.ts'
import { managerStatus, type ServedManager } from './managerCalls.ts'
import type { ManagerLog } from './serviceAssessments.ts'
import { serviceStatus } from './statusPayloads.ts'

/** The call by which people and pages follow a manager. */
export type ManagerFeed = {
  readonly served: ServedRoute
  /** The same for other hosts of the cluster. */
  readonly toPeers: ServedRoute
  close(): void
}

type OpenFeed = {
  /** Resolves once the connector was asked. */
  readonly isReady: Promise<void>
  follow(stream: EventStream, lastEventId: string | undefined): void
  close(): void
}

/** Milliseconds between two looks at what does not tell of its changes, and until a feed without streams ends. */
const limits = { interval: 1000, idle: 60_000 }

/** Members that alone are no change: they are others at each check. */
const passing: ReadonlySet<string> = new Set(['checkedAt', 'seqno', 'startTime', 'uptimeSeconds'])

const lasting = <Name extends string>(properties: Readonly<Record<Name, unknown>>): readonly Name[] =>
  (Object.keys(properties) as Name[]).filter((name) => !passing.has(name))

const membersOfSource = lasting(DatasourceStatusPayload.properties)
const membersOfManager = lasting(StatusPayload.properties)

/** Compares two values of JSON. */
const isSame = (one: unknown, other: unknown): boolean =>
  one === other ||
  (typeof one === 'object' && typeof other === 'object' && JSON.stringify(one) === JSON.stringify(other))

const isSameIn = <Value extends object>(
  one: Value,
  other: Value | undefined,
  names: readonly (keyof Value)[],
): boolean => other !== undefined && names.every((name) => isSame(one[name], other[name]))

type Change = ManagerEventPayload extends infer One
  ? One extends unknown
    ? Omit<One, 'time'>
    : never
  : never

type ServiceOnly = Omit<ServiceStatusPayload, 'datasources'>

/** Creates the feed of a manager. It costs nothing until somebody follows it, and again a minute after nobody does. */
export function createManagerFeed(
  manager: ServedManager,
  more: { readonly log: ManagerLog; readonly after?: Clock['after'] },
): ManagerFeed {
  let feed: OpenFeed | undefined
  const open = (context: ApiContext): OpenFeed =>
    openFeed(manager, {
      after: realClock.after,
      ...more,
      context,
      onIdle: () => {
        feed = undefined
      },
    })
  async function follow({ lastEventId }: Pick<Call, 'lastEventId'>, context: ApiContext): Promise<Events> {
    feed ??= open(context)
    await feed.isReady
    return (stream) => {
      feed ??= open(context)
      feed.follow(stream, lastEventId)
    }
  }
  return {
    served: serve(managerRoutes.managerEvents, follow),
    toPeers: serve(hostRoutes.managerEvents, follow),
    close: () => feed?.close(),
  }
}

function openFeed(
  served: ServedManager,
  options: {
    readonly context: ApiContext
    readonly log: ManagerLog
    readonly after: Clock['after']
    readonly onIdle: () => void
  },
): OpenFeed {
  const { manager, switcher, identity, askConnector } = served
  const { context, log, after, onIdle } = options
  // Those who come back to a manager that was started anew have ids of another epoch.
  const events = createEventLog({ epoch: randomBytes(8).toString('hex') })
  let map = manager.map()
  let connectorStatus: ConnectorStatusPayload | null = null
  let cancel = (): void => undefined
  let isClosed = false
  let idle = 0

  // What the events told so far.
  const services = new Map<string, ServiceOnly>()
  const sources = new Map<string, DatasourceStatusPayload>()
  let own: StatusPayload | undefined
  let connector: HostConnector | null | undefined

  const text = (change: Change): string => {
    const payload = { ...change, time: context.now().toISOString() } as ManagerEventPayload
    return JSON.stringify(envelope('ManagerEventPayload', payload))
  }

  const readService = (service: string): ServiceStatusPayload =>
    serviceStatus({ manager, service, connector: connectorStatus })

  function readConnector(): HostConnector | null {
    if (!askConnector) return null
    if (connectorStatus === null) return { name: identity.host, status: null }
    const { datasources: _datasources, ...status } = connectorStatus
    return { name: identity.host, status }
  }

  function changesOf({ datasources, ...service }: ServiceStatusPayload): readonly Change[] {
    const changed = datasources.filter((it) => !isSameIn(it, sources.get(keyOf(it)), membersOfSource))
    for (const it of changed) sources.set(keyOf(it), it)
    const isKnown = isSame(service, services.get(service.name))
    services.set(service.name, service)
    return [
      ...changed.map((datasource) => ({ kind: 'datasource' as const, datasource })),
      ...(isKnown ? [] : [{ kind: 'service' as const, service }]),
    ]
  }

  /** Returns what changed since the last look, and knows it from now on. */
  function changes(): readonly Change[] {
    const found: Change[] = map.services.flatMap(({ name }) => changesOf(readService(name)))
    const nextConnector = readConnector()
    if (!isSame(nextConnector, connector)) found.push({ kind: 'connector', connector: nextConnector })
    connector = nextConnector
    const nextOwn = managerStatus(served, context)
    if (!isSameIn(nextOwn, own, membersOfManager)) found.push({ kind: 'manager', manager: nextOwn })
    own = nextOwn
    return found
  }

  const snapshot = (): string =>
    text({
      kind: 'snapshot',
      cluster: identity.cluster,
      host: identity.host,
      manager: managerStatus(served, context),
      services: map.services.map(({ name }) => readService(name)),
      tasks: switcher?.tasks() ?? [],
      connector: readConnector(),
    })

  function update(): void {
    if (manager.map() === map) {
      events.append(changes().map(text))
      return
    }
    map = manager.map()
    services.clear()
    sources.clear()
    changes()
    events.append([snapshot()])
  }

  async function look(): Promise<void> {
    const status = (await askConnector?.()) ?? null
    if (isClosed) return
    connectorStatus = status
    update()
  }

  function lookAgain(): void {
    if (isClosed) return
    idle = events.streams() > 0 ? 0 : idle + limits.interval
    if (idle > limits.idle) {
      close()
      onIdle()
      return
    }
    cancel = after(limits.interval, () => void lookAndWait())
  }

  const lookAndWait = (): Promise<void> =>
    look()
      .catch((error: unknown) => log.error({ err: error }, 'a fault of the manager'))
      .finally(lookAgain)

  function close(): void {
    isClosed = true
    cancel()
    stopListening()
    stopTasks()
  }

  changes()
  const stopListening = manager.onUpdate(update)
  const stopTasks =
    switcher?.onTask((task) => events.append([text({ kind: 'task', task })])) ?? (() => undefined)
  return {
    isReady: lookAndWait(),
    follow: (stream, id) => {
      idle = 0
      // A snapshot stands for all events so far, no more.
      update()
      events.follow(stream, { id, snapshot })
    },
    close,
  }
}
