import { Value } from 'typebox/value'
import { get } from '../../client/calls.ts'
import { readEnvelope } from '../../client/envelope.ts'
import { managerRoutes } from '../../contracts/managerRoutes.ts'
import { ServicesMapPayload } from '../../contracts/servicesMap.ts'
import type { MapInEffect } from './routing.ts'

const { path } = managerRoutes.managerServicesMap

/** Reads the manager's map over a Unix socket, within `timeout` milliseconds. Rejects with an Error that says why not. */
export async function askManager(options: {
  readonly socket: string
  readonly timeout: number
  readonly signal: AbortSignal
}): Promise<MapInEffect> {
  const { socket, timeout, signal } = options
  const outcome = await get({ endpoint: { kind: 'socket', path: socket }, timeout, signal }, path)
  if ('problem' in outcome) {
    const { status } = outcome.response
    throw new Error(`The manager answers ${status} instead of its services map.`)
  }
  const payload = readEnvelope(outcome.value)?.payload
  if (!Value.Check(ServicesMapPayload, payload)) {
    throw new Error('The manager answers something else than a services map.')
  }
  return payload
}

/** Connection of the connector to the manager of its host. */
export type ManagerLink = {
  /** Returns since when the manager does not answer and why; undefined while it does. */
  problem(): { readonly since: Date; readonly reason: string } | undefined
  /** Settles after the first request to the manager, whether it succeeded or not. */
  readonly asked: Promise<void>
  /** Settles after one more request to the manager, begun from now on; its map is in effect if it answered. */
  askNow(): Promise<void>
  stop(): void
}

/** Polls the manager's map; the last map stays in effect while the manager does not answer. Times in milliseconds. */
export function followManager(options: {
  /** The manager's map. Rejects with an Error whose message says why there is none. */
  readonly ask: (signal: AbortSignal) => Promise<MapInEffect>
  /** From one response to the next request. */
  readonly interval: number
  /** Rejects when the signal is aborted. */
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<unknown>
  readonly now: () => Date
  /** Called with each map that differs from the one before. */
  readonly onMap: (map: MapInEffect) => void
  readonly onUnreachable: (reason: string) => void
  readonly onReachable: () => void
}): ManagerLink {
  const { ask, interval, wait, now, onMap, onUnreachable, onReachable } = options
  const stopped = new AbortController()
  const { signal } = stopped
  let problem: { readonly since: Date; readonly reason: string } | undefined
  let known = ''

  async function askOnce(): Promise<void> {
    try {
      const map = await ask(signal)
      if (signal.aborted) return
      const text = JSON.stringify(map)
      if (text !== known) onMap(map)
      known = text
      if (problem) onReachable()
      problem = undefined
    } catch (error) {
      if (signal.aborted) return
      const reason = error instanceof Error ? error.message : String(error)
      if (!problem) onUnreachable(reason)
      problem = { since: problem?.since ?? now(), reason }
    }
  }

  let latest = askOnce()
  let next: Promise<void> | undefined
  /** One question at a time; who asks while one is under way shares the one after it. */
  function askNow(): Promise<void> {
    next ??= latest.then(() => {
      next = undefined
      latest = askOnce()
      return latest
    })
    return next
  }

  async function follow(): Promise<void> {
    while (!signal.aborted) {
      await wait(interval, signal).catch(() => undefined)
      if (!signal.aborted) await askNow()
    }
  }

  const asked = latest
  void asked.then(follow)
  return { problem: () => problem, asked, askNow, stop: () => stopped.abort() }
}
