import { commonCalls } from '../../api/calls/commonCalls.ts'
import { ready } from '../../api/calls/health.ts'
import { ProblemError } from '../../api/problemError.ts'
import type { ComponentApi } from '../../api/serve.ts'
import type { Routing, Writer } from '../../contracts/routing.ts'
import type { ServerSettings } from '../../contracts/serverSettings.ts'
import { realClock, throttle } from '../clock.ts'
import type { ComponentLog, OpenedComponent } from '../openedComponent.ts'
import { createStateFile } from '../stateFile.ts'
import { connectorCalls, followedRouting, readyToForward } from './connectorCalls.ts'
import { connectorMetrics } from './connectorMetrics.ts'
import { installedMode, openStateStore } from './connectorState.ts'
import { type Connector, createConnector } from './createConnector.ts'
import { type FollowedManagers, followManagers } from './followManagers.ts'
import { managersOf } from './managerEndpoints.ts'
import { createPassOn, type PassOn } from './passOn.ts'
import { createProxy } from './proxy.ts'
import type { RoutedRole } from './routing.ts'
import { dial, type Listener, listen } from './sockets.ts'

/** Milliseconds. */
const times = { dial: 3000, complaint: 10_000 }

/** The API of a connector without a database. */
export const connector: ComponentApi = {
  component: 'connector',
  served: [...commonCalls, ...connectorCalls(undefined)],
}

/** Returns the API of a connector that forwards; `managers` belong to one that follows some. */
function connectorApi(
  opened: Connector,
  managers?: { readonly askNow: Parameters<typeof followedRouting>[1]; readonly passOn: PassOn },
): ComponentApi {
  const common = commonCalls.map((served) => (served === ready ? readyToForward(opened) : served))
  return {
    component: 'connector',
    served: [...common, ...connectorCalls(opened, managers?.passOn)],
    local: managers ? [followedRouting(opened, managers.askNow)] : [],
    metrics: () => connectorMetrics(opened),
  }
}

const writerIn = ({ services }: Routing, service: string): Writer | undefined =>
  services.find(({ name }) => name === service)?.writer

/** A connector with its ports. */
export type OpenedConnector = OpenedComponent & {
  /** Ports in effect, once it is started. */
  ports(): readonly number[]
}

/**
 * Opens the connector of the settings; it accepts no client before `start`. Throws a `StartError` where its state
 * cannot be read or kept.
 */
export function openConnector(settings: ServerSettings, log: ComponentLog): OpenedConnector {
  const { proxy: wanted, services, stateFile } = settings
  if (!wanted || !services || stateFile === undefined) {
    return { api: connector, close: () => undefined, ports: () => [] }
  }
  const { address, port, readonlyPort, managerTimeout, ...limits } = wanted
  const { service } = limits
  const store = openStateStore({
    file: createStateFile(stateFile),
    path: stateFile,
    mode: installedMode(new Date()),
  })
  const { mode } = store.current()
  const clock = realClock
  const proxy = createProxy({
    ...limits,
    dialTimeout: times.dial,
    mode,
    clock,
    dial,
  })
  const clientPorts: { readonly role: RoutedRole; readonly port: number }[] = [{ role: 'primary', port }]
  if (readonlyPort !== null) clientPorts.push({ role: 'replica', port: readonlyPort })
  const listeners: Listener[] = []
  const managers = managersOf(settings)
  const follows = managers.length > 0
  let followed: FollowedManagers | undefined
  const opened = createConnector({
    store,
    proxy,
    service,
    roles: clientPorts.map(({ role }) => role),
    installed: services,
    ...(follows ? { managers: { outage: () => followed?.outage(), timeout: managerTimeout } } : {}),
    isListening: () => listeners.length === clientPorts.length,
    now: clock.now,
  })

  function takeOver(routing: Routing): void {
    const before = writerIn(opened.routing(), service)
    try {
      opened.follow(routing)
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error
      log.warn(`the routing of the manager is in effect but not kept: ${error.message}`)
    }
    const writer = writerIn(routing, service)
    if (JSON.stringify(writer) !== JSON.stringify(before)) {
      log.info({ writer, before }, 'the writer of the service is another')
    }
  }

  const follow = (): FollowedManagers =>
    followManagers({
      managers,
      clock,
      timeout: managerTimeout,
      onRouting: takeOver,
      onLink: (name, problem) => {
        if (problem) log.warn({ manager: name, reason: problem.reason }, 'a manager does not answer')
        else log.info({ manager: name }, 'the manager answers again')
      },
      onOutage: (outage) => {
        opened.checkOutage()
        if (!outage) log.info('the word of a manager is in effect again')
        else if (outage.isLong) log.error(outage, 'no manager answers: new clients are refused')
        else log.warn(outage, 'no manager answers: its last word stays in effect')
      },
    })

  const passOn = createPassOn(() => {
    const name = followed?.base()
    const manager = managers.find((it) => it.name === name)
    return (
      manager && {
        ...manager,
        update: async () => {
          await followed?.askNow(name)
        },
      }
    )
  })

  // Where descriptors are exhausted, each client that comes is one more that cannot be accepted.
  const onError = throttle({
    milliseconds: times.complaint,
    clock,
    work: (error: Error) => log.error({ reason: error.message }, 'cannot accept a client'),
  })

  const closeListeners = (): void => {
    for (const listener of listeners.splice(0)) listener.close()
  }

  return {
    api: connectorApi(
      opened,
      follows ? { passOn, askNow: async () => followed?.askNow(managers[0]?.name) } : undefined,
    ),
    ports: () => listeners.map((it) => it.port),
    start: async () => {
      if (follows) {
        // An old word may send writes to a server that is no primary any more: the managers are asked first.
        followed = follow()
        await followed.asked
      }
      for (const entry of clientPorts) {
        const onClient = (socket: Parameters<typeof proxy.accept>[0]): void =>
          proxy.accept(socket, entry.role)
        const listener = await listen({ address, port: entry.port, onClient, onError })
        listeners.push(listener)
        log.info({ address, port: listener.port, to: entry.role, service }, 'accepting clients')
      }
    },
    stop: async () => {
      const { active } = proxy.counts()
      if (active > 0) log.info({ connections: active, milliseconds: limits.drainTimeout }, 'draining')
      // The ports stay open: new clients receive the reason for their rejection.
      await proxy.stop(limits.drainTimeout)
      closeListeners()
    },
    close: () => {
      followed?.stop()
      closeListeners()
      proxy.close()
    },
  }
}
