import { type Agent, type ClientRequest, type IncomingMessage, request as plainRequest } from 'node:http'
import { request as tlsRequest } from 'node:https'
import { type BoundedBytes, boundedBytes } from '../base/boundedBytes.ts'
import { parseJson } from '../base/json.ts'
import { internalUserAgent } from '../contracts/route.ts'
import { ClientError, type ClientErrorFacts } from './clientError.ts'
import { basicAuthorization, type Credentials } from './credentials.ts'
import { describeEndpoint, type Endpoint } from './endpoint.ts'
import { type Problem, readProblem } from './envelope.ts'
import { explainAuthority, explainFailure } from './explainFailure.ts'
import { hostHeader, readableTrust, tlsOptions } from './request.ts'

/** Bounds of a stream of events: what its server can make us spend. Times in milliseconds. */
export type EventLimits = {
  /** From the start to the first event. */
  readonly opening: number
  /** Without a byte, later on. */
  readonly silence: number
  /** Bytes of one event. */
  readonly event: number
  /** Bytes a second in the long run, and how many may come at once; each event counts as `perEvent` more. */
  readonly rate: number
  readonly burst: number
  readonly perEvent: number
}

export const defaultEventLimits: EventLimits = {
  opening: 3000,
  silence: 12_000,
  event: 2 * 1024 * 1024,
  rate: 1024 * 1024,
  burst: 4 * 1024 * 1024,
  perEvent: 64 * 1024,
}

/** Characters of the response to a refused call. */
const refusalLimit = 64 * 1024

const badFacts = (place: string, what: string): ClientErrorFacts => ({
  code: 'bad-answer',
  message: `${place} ${what}.`,
  fix: 'Something else than the API listens there: check the address and the port.',
})

const bad = (place: string, what: string): ClientError => new ClientError(badFacts(place, what))

const late = (place: string, milliseconds: number, what: string): ClientError =>
  new ClientError({
    code: 'timeout',
    message: `${place} sent ${what} for ${milliseconds / 1000} s.`,
    fix: 'Check whether the component runs, and any firewall between.',
  })

/** Takes an event; `id` is the one to go on after, if there is any. */
type OnEvent = (data: string, id: string | undefined) => void

/** Splits a stream of events, as fast as its server's credit allows. */
type EventParser = {
  /** Adds bytes. */
  take(chunk: Buffer): void
  /**
   * Hands over what is there. Returns milliseconds to wait before more is read, 0 for none; undefined once an event is
   * too long.
   */
  work(): number | undefined
}

/** Bytes that each chunk and each line cost beside their own: many small ones are as much work as a few large ones. */
const perChunk = 512
const perLine = 32

/** Ids that go into a header again; others are passed over. */
const usableId = /^[!-~]{1,128}$/

/**
 * Creates a parser of server-sent events (HTML standard, section 9.2) of which only `data` and `id` count. An event
 * without an id has that of the event before it.
 */
export function createEventParser(options: {
  readonly limits: Pick<EventLimits, 'event' | 'rate' | 'burst' | 'perEvent'>
  /** Milliseconds that never go back. */
  readonly elapsed: () => number
  readonly onEvent: OnEvent
}): EventParser {
  const { limits, elapsed, onEvent } = options
  let chunks: Buffer[] = []
  /** Line whose end has not come yet. */
  let begun: BoundedBytes | undefined
  let data: string[] = []
  let length = 0
  let id: string | undefined
  let credit = limits.burst
  let counted = elapsed()

  function readLine(text: string): void {
    if (text.startsWith('data:')) {
      data.push(text.slice(text[5] === ' ' ? 6 : 5))
    } else if (text.startsWith('id:')) {
      const written = text.slice(text[3] === ' ' ? 4 : 3)
      if (usableId.test(written)) id = written
    } else if (text === '') {
      if (data.length > 0) {
        credit -= limits.perEvent
        onEvent(data.join('\n'), id)
      }
      data = []
      length = 0
    }
  }

  /** Reads a chunk up to its end, or as far as the credit goes; returns what is left of it. */
  function readChunk(chunk: Buffer): Buffer | undefined {
    let begin = 0
    while (begin < chunk.length && credit >= 0) {
      const end = chunk.indexOf(0x0a, begin)
      const piece = chunk.subarray(begin, end < 0 ? chunk.length : end)
      length += piece.length + 1
      if (length > limits.event) return undefined
      begin += piece.length + 1
      if (end < 0) {
        begun ??= boundedBytes(limits.event)
        begun.push(piece)
        break
      }
      begun?.push(piece)
      readLine((begun?.bytes() ?? piece).toString('utf8').replace(/\r$/, ''))
      credit -= perLine
      begun = undefined
      if (data.length === 0) length = 0
    }
    return chunk.subarray(begin)
  }

  return {
    take: (chunk) => {
      credit -= chunk.length + perChunk
      chunks.push(chunk)
    },
    work: () => {
      const now = elapsed()
      credit = Math.min(limits.burst, credit + ((now - counted) / 1000) * limits.rate)
      counted = now
      while (chunks.length > 0 && credit >= 0) {
        const [first = Buffer.alloc(0), ...others] = chunks
        const left = readChunk(first)
        if (left === undefined) return undefined
        chunks = left.length > 0 ? [left, ...others] : others
      }
      return credit >= 0 ? 0 : Math.ceil((-credit / limits.rate) * 1000)
    },
  }
}

/** A server responded to the call of a stream with a problem. */
export class RefusedStreamError extends ClientError {
  readonly problem: Problem

  constructor(place: string, problem: Problem) {
    const why = problem.detail?.replace(/\.$/, '')
    super(badFacts(place, `answers ${problem.status}${why === undefined ? '' : `: ${why}`}`))
    this.name = 'RefusedStreamError'
    this.problem = problem
  }
}

/**
 * Reads a stream of events until it ends, which it always does with the error that the promise resolves to. A server
 * that sends more than the limits allow is waited for, never buffered.
 */
export function readEvents(options: {
  readonly endpoint: Endpoint
  readonly path: string
  readonly signal: AbortSignal
  readonly onEvent: OnEvent
  /** Called once the server sends events. */
  readonly onOpen?: () => void
  readonly credentials?: Credentials
  /** Id of the event to go on after; then the stream may begin without an event. */
  readonly lastEventId?: string | undefined
  /** Gives the connection; default: a new one. */
  readonly agent?: Agent
  readonly userAgent?: string
  readonly limits?: Partial<EventLimits>
}): Promise<ClientError> {
  const { endpoint, path, signal, onEvent, credentials, lastEventId, agent = false } = options
  const limits = { ...defaultEventLimits, ...options.limits }
  const place = describeEndpoint(endpoint)
  if (!readableTrust(endpoint)) return Promise.resolve(new ClientError(explainAuthority(place)))
  return new Promise((resolve) => {
    const headers = {
      Host: hostHeader(endpoint),
      'User-Agent': options.userAgent ?? internalUserAgent,
      Accept: 'text/event-stream',
      ...(credentials && { Authorization: basicAuthorization(credentials) }),
      ...(lastEventId !== undefined && { 'Last-Event-ID': lastEventId }),
    }
    const common = { method: 'GET', path, headers, agent } as const
    const begin = (): ClientRequest =>
      endpoint.kind === 'socket'
        ? plainRequest({ ...common, socketPath: endpoint.path })
        : tlsRequest({ ...common, ...tlsOptions(endpoint), agent })
    let sent: ClientRequest
    try {
      sent = begin()
    } catch (error) {
      // Key and certificate that do not belong together, say.
      resolve(new ClientError(explainFailure({ error, place })))
      return
    }
    let isEnded = false
    let timer: NodeJS.Timeout | undefined
    let going: NodeJS.Timeout | undefined

    const end = (error: unknown): void => {
      if (isEnded) return
      isEnded = true
      clearTimeout(timer)
      clearTimeout(going)
      signal.removeEventListener('abort', interrupt)
      sent.destroy()
      resolve(error instanceof ClientError ? error : new ClientError(explainFailure({ error, place })))
    }
    const interrupt = (): void =>
      end(new ClientError({ code: 'interrupted', message: `${place} is left.`, fix: 'Connect again.' }))
    const limit = (milliseconds: number, what: string): void => {
      clearTimeout(timer)
      timer = setTimeout(() => end(late(place, milliseconds, what)), milliseconds)
    }

    limit(limits.opening, 'no event')
    signal.addEventListener('abort', interrupt)
    if (signal.aborted) interrupt()
    sent.on('error', end)
    sent.on('response', (message) => {
      if (message.statusCode !== 200) readRefusal(message, place, end)
      else if (!/^text\/event-stream *(;|$)/i.test(message.headers['content-type'] ?? '')) {
        end(bad(place, 'sends something else than a stream of events'))
      } else follow(message)
    })
    sent.end()

    function follow(message: IncomingMessage): void {
      let isOpen = lastEventId !== undefined
      options.onOpen?.()
      const heard = (): void => {
        if (isOpen && !isEnded) limit(limits.silence, 'nothing')
      }
      const parser = createEventParser({
        limits,
        elapsed: () => performance.now(),
        onEvent: (data, id) => {
          if (isEnded) return
          isOpen = true
          onEvent(data, id)
        },
      })
      heard()
      const work = (): void => {
        if (isEnded) return
        const wait = parser.work()
        if (wait === undefined) {
          end(bad(place, 'sends an event that is too long'))
          return
        }
        heard()
        if (wait === 0) message.resume()
        else {
          message.pause()
          clearTimeout(going)
          going = setTimeout(work, wait)
          // It is we who do not listen meanwhile.
          if (isOpen) clearTimeout(timer)
        }
      }
      message.on('data', (chunk: Buffer) => {
        parser.take(chunk)
        if (!message.isPaused()) work()
      })
      message.on('error', end)
      message.on('close', () => end(bad(place, 'ended the stream')))
    }
  })
}

function readRefusal(message: IncomingMessage, place: string, end: (error: unknown) => void): void {
  let text = ''
  const finish = (): void => {
    const status = message.statusCode ?? 0
    const problem = readProblem({ status, body: parseJson(text) })
    end(problem ? new RefusedStreamError(place, problem) : bad(place, `answers ${status}`))
  }
  message.setEncoding('utf8')
  message.on('data', (more: string) => {
    text += more
    if (text.length > refusalLimit) end(bad(place, `answers ${message.statusCode} and far too much`))
  })
  message.on('error', end)
  message.on('end', finish)
}
