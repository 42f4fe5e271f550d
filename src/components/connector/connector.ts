import { setTimeout as wait } from 'node:timers/promises'
import { commonCalls } from '../../api/calls/commonCalls.ts'
import { ready } from '../../api/calls/health.ts'
import { ProblemError } from '../../api/problemError.ts'
import type { ComponentApi } from '../../api/serve.ts'
import type { ServerSettings } from '../../contracts/serverSettings.ts'
import type { ComponentLog, OpenedComponent } from '../openedComponent.ts'
import { createStateFile } from '../stateFile.ts'
import { realClock, throttle } from './clock.ts'
import { connectorCalls, followedMap, readyToForward } from './connectorCalls.ts'
import { connectorMetrics } from './connectorMetrics.ts'
import { installedMode, openStateStore } from './connectorState.ts'
import { type Connector, createConnector } from './createConnector.ts'
import { askManager, followManager, type ManagerLink } from './followManager.ts'
import { createProxy } from './proxy.ts'
import type { MapInEffect, RoutedRole } from './routing.ts'
import { dial, type Listener, listen } from './sockets.ts'

/** Milliseconds. A manager is given up sooner than a person notices that its map is old. */
const limits = { dial: 3000, greeting: 3000, manager: 1000, interval: 500, complaint: 10_000 }

/** The API of a connector without a database. */
export const connector: ComponentApi = {
  component: 'connector',
  served: [...commonCalls, ...connectorCalls(undefined)],
}

/** Returns the API of a connector that forwards; `askManager` takes over the map of its manager as it is now. */
export function connectorApi(opened: Connector, askManager?: () => Promise<void>): ComponentApi {
  const common = commonCalls.map((served) => (served === ready ? readyToForward(opened) : served))
  return {
    component: 'connector',
    served: [...common, ...connectorCalls(opened)],
    local: askManager ? [followedMap(opened, askManager)] : [],
    metrics: () => connectorMetrics(opened),
  }
}

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
  const { proxy: wanted, services, stateFile, managerSocket } = settings
  if (!wanted || !services || stateFile === undefined) {
    return { api: connector, close: () => undefined, ports: () => [] }
  }
  const { service, address, port, readonlyPort, maxHeld, maxHold, drainTimeout } = wanted
  const store = openStateStore({
    file: createStateFile(stateFile),
    path: stateFile,
    mode: installedMode(new Date()),
  })
  const { mode } = store.current()
  const clock = realClock
  const proxy = createProxy({
    service,
    maxHeld,
    maxHold,
    drainTimeout,
    dialTimeout: limits.dial,
    greetingTimeout: limits.greeting,
    readonlyFallback: true,
    mode,
    clock,
    dial,
  })
  const clientPorts: { readonly role: RoutedRole; readonly port: number }[] = [{ role: 'primary', port }]
  if (readonlyPort !== null) clientPorts.push({ role: 'replica', port: readonlyPort })
  const listeners: Listener[] = []
  let manager: ManagerLink | undefined
  const opened = createConnector({
    store,
    proxy,
    service,
    roles: clientPorts.map(({ role }) => role),
    installed: services,
    ...(managerSocket === undefined ? {} : { manager: () => manager?.problem() }),
    isListening: () => listeners.length === clientPorts.length,
    now: clock.now,
  })

  function takeOver(map: MapInEffect): void {
    try {
      opened.follow(map)
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error
      log.warn(`the services map of the manager is in effect but not kept: ${error.message}`)
    }
  }

  function followOne(socket: string): ManagerLink {
    return followManager({
      ask: (signal) => askManager({ socket, timeout: limits.manager, signal }),
      interval: limits.interval,
      wait: (milliseconds, signal) => wait(milliseconds, undefined, { signal }),
      now: clock.now,
      onMap: takeOver,
      onUnreachable: (reason) =>
        log.warn({ reason }, 'the manager does not answer: the last known services map stays in effect'),
      onReachable: () => log.info('the manager answers again'),
    })
  }

  // Where descriptors are exhausted, each client that comes is one more that cannot be accepted.
  const onError = throttle({
    milliseconds: limits.complaint,
    clock,
    work: (error: Error) => log.error({ reason: error.message }, 'cannot accept a client'),
  })

  const closeListeners = (): void => {
    for (const listener of listeners.splice(0)) listener.close()
  }

  return {
    api: connectorApi(opened, managerSocket === undefined ? undefined : async () => manager?.askNow()),
    ports: () => listeners.map((it) => it.port),
    start: async () => {
      if (managerSocket !== undefined) {
        // An old map may send writes to a server that is no primary any more: the manager is asked first.
        manager = followOne(managerSocket)
        await manager.asked
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
      if (active > 0) log.info({ connections: active, milliseconds: drainTimeout }, 'draining')
      // The ports stay open: new clients receive the reason for their rejection.
      await proxy.stop(drainTimeout)
      closeListeners()
    },
    close: () => {
      manager?.stop()
      closeListeners()
      void proxy.stop(0)
      proxy.cut()
    },
  }
}
