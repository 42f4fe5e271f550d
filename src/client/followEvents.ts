import type { Duplex } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { Value } from 'typebox/value'
import { memberOf, parseJson } from '../base/json.ts'
import { ManagerEventPayload } from '../contracts/managerPayloads.ts'
import { managerRoutes } from '../contracts/managerRoutes.ts'
import { agentForStream } from './agentForStream.ts'
import { ClientError } from './clientError.ts'
import type { Credentials } from './credentials.ts'
import { describeEndpoint, type Endpoint } from './endpoint.ts'
import { readEnvelope } from './envelope.ts'
import { explainFailure } from './explainFailure.ts'
import { type EventLimits, RefusedStreamError, readEvents } from './readEvents.ts'

/** A change that a manager saw, or all that it knows. */
export type ManagerEvent = ManagerEventPayload

/** Manager that events come from, and the way to it. */
export type EventSource = {
  readonly endpoint: Endpoint
  readonly credentials?: Credentials
  /** Opens the connection, such as a channel over SSH; default: to the endpoint itself. */
  readonly dial?: () => Promise<Duplex | Error>
  readonly userAgent?: string
}

/** Milliseconds between two attempts, and what a manager can make us spend: a check of a password takes its time. */
const followLimits = {
  pause: { shortest: 200, longest: 10_000 },
  events: {
    opening: 10_000,
    silence: 20_000,
    event: 8 * 1024 * 1024,
    rate: 2 * 1024 * 1024,
    burst: 16 * 1024 * 1024,
    perEvent: 256,
  } satisfies EventLimits,
}

/** Clock of `followEvents`, in milliseconds. */
type FollowClock = {
  readonly now: () => number
  /** Resolves after that time, or rejects when the signal comes. */
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<unknown>
  /** From 0 to 1. */
  readonly random: () => number
}

const realClock: FollowClock = {
  now: () => performance.now(),
  wait: (milliseconds, signal) => wait(milliseconds, undefined, { signal }),
  random: () => Math.random(),
}

/** Statuses that no repetition changes: the login, the right, the call and its form. */
const isFinal = ({ problem }: RefusedStreamError): boolean => problem.status < 500 && problem.status !== 408

const kinds = ManagerEventPayload.anyOf.map((it) => it.properties.kind.const)

/** Bounds for what a manager tells: joining the words of all managers costs more than their sum. */
export const knownLimits = { services: 100, datasources: 1000 } as const

function isBounded(event: ManagerEvent): boolean {
  if (event.kind !== 'snapshot') return true
  const datasources = event.services.reduce((sum, service) => sum + service.datasources.length, 0)
  return event.services.length <= knownLimits.services && datasources <= knownLimits.datasources
}

const passedOver = 'passed over'

/** Reads an event; undefined for any other text. Members and kinds that a later release added are passed over. */
function readEvent(data: string): ManagerEvent | typeof passedOver | undefined {
  const { payloadType, payload } = readEnvelope(parseJson(data)) ?? {}
  if (payloadType !== 'ManagerEventPayload') return undefined
  const cleaned = Value.Clean(ManagerEventPayload, payload)
  if (Value.Check(ManagerEventPayload, cleaned)) return isBounded(cleaned) ? cleaned : undefined
  const kind = memberOf(payload, 'kind')
  return typeof kind === 'string' && !kinds.some((it) => it === kind) ? passedOver : undefined
}

/**
 * Follows the events of a manager, over as many connections as it takes: a further one goes on after the last event, or
 * begins with a snapshot. Resolves to why it ends: the signal came, or the manager refuses the login or the call.
 */
export async function followEvents(
  options: EventSource & {
    /** Default: the call for users. */
    readonly path?: string
    readonly signal: AbortSignal
    readonly onEvent: (event: ManagerEvent, id: string | undefined) => void
    /** Called when the manager sends events, at first and after each cut. */
    readonly onOpen?: () => void
    /** Called when it is cut off, with the time until the next attempt. */
    readonly onCut?: (error: ClientError, milliseconds: number) => void
    readonly clock?: FollowClock
    readonly limits?: Partial<EventLimits>
  },
): Promise<ClientError> {
  const { endpoint, signal, onEvent, onOpen, onCut, clock = realClock } = options
  const { shortest, longest } = followLimits.pause
  let lastEventId: string | undefined
  let pause: number = shortest

  async function follow(): Promise<ClientError> {
    const opened = await connect(options)
    if (opened instanceof ClientError) return opened
    const stop = new AbortController()
    let bad: ClientError | undefined
    try {
      const ended = await readEvents({
        ...options,
        ...opened,
        path: options.path ?? managerRoutes.managerEvents.path,
        signal: AbortSignal.any([signal, stop.signal]),
        lastEventId,
        limits: { ...followLimits.events, ...options.limits },
        onEvent: (data, id) => {
          const event = readEvent(data)
          if (event === undefined) {
            bad = notAnEvent(endpoint)
            stop.abort()
            return
          }
          lastEventId = id ?? lastEventId
          if (event !== passedOver) onEvent(event, id)
        },
        ...(onOpen && { onOpen }),
      })
      // What came before may be as bad: it begins anew.
      if (bad) lastEventId = undefined
      return bad ?? ended
    } finally {
      opened.agent?.destroy()
      opened.stream?.destroy()
    }
  }

  for (;;) {
    const begun = clock.now()
    const error = await follow()
    if (signal.aborted || (error instanceof RefusedStreamError && isFinal(error))) return error
    if (clock.now() - begun > longest) pause = shortest
    // So that those who lost the same manager do not all come back at once.
    const milliseconds = Math.round(pause * (0.5 + clock.random() / 2))
    onCut?.(error, milliseconds)
    await clock.wait(milliseconds, signal).catch(() => undefined)
    if (signal.aborted) return error
    pause = Math.min(2 * pause, longest)
  }
}

/** Opens the connection where there is a way of its own. */
async function connect({ dial, endpoint }: EventSource) {
  if (!dial) return {}
  const stream = await dial()
  if (!(stream instanceof Error)) return { stream, agent: agentForStream(stream, endpoint) }
  return new ClientError(explainFailure({ error: stream, place: describeEndpoint(endpoint) }))
}

const notAnEvent = (endpoint: Endpoint): ClientError =>
  new ClientError({
    code: 'bad-answer',
    message: `${describeEndpoint(endpoint)} sent an event that is none of this call.`,
    fix: 'Check that muster and the host have the same release.',
  })
