import type { Duplex } from 'node:stream'
import { connectableAddress } from '../base/address.ts'
import { commonRoutes } from '../contracts/commonRoutes.ts'
import { agentForStream } from './agentForStream.ts'
import { attempt, type CallRequest, type CallResult, type CallTarget, endpointOf } from './call.ts'

/** Listening address to connect to. */
type DialTarget = { readonly address: string; readonly port: number } | { readonly socket: string }

/** Opens a connection or resolves with the error; never rejects. */
export type Dial = (place: DialTarget) => Promise<Duplex | Error>

/** A connection and its consecutive calls. */
type ConnectionCalls = { readonly target: CallTarget; readonly calls: CallRequest[] }

/**
 * Makes calls over connections of `dial`: one per TCP server for all its calls, and one per call of a socket.
 * Each call is made once, and only if it may be made again. Undefined if the host has to repeat them itself: a
 * connection failed, a call got no response, or the API is not ready.
 */
export async function callOverStreams(
  requests: readonly CallRequest[],
  dial: Dial,
): Promise<readonly CallResult[] | undefined> {
  const isOnce = ({ method, repeatable, show }: CallRequest): boolean =>
    (method !== 'GET' && repeatable !== true) || show !== undefined
  if (requests.some(isOnce)) return undefined
  const connections = connectionsOf(requests)
  const streams = await Promise.all(connections.map(({ target }) => dial(dialTargetOf(target))))
  const opened = streams.flatMap((stream) => (stream instanceof Error ? [] : [stream]))
  try {
    if (opened.length < connections.length) return undefined
    const results = await Promise.all(
      opened.flatMap((stream, index) => callsOver(stream, connections[index])),
    )
    const resultById = new Map(results.map((result) => [result.id, result]))
    return requests.every((call) => isFinal(call, resultById.get(call.id)))
      ? requests.flatMap(({ id }) => resultById.get(id) ?? [])
      : undefined
  } finally {
    for (const stream of opened) stream.destroy()
  }
}

function connectionsOf(requests: readonly CallRequest[]): readonly ConnectionCalls[] {
  const connections = new Map<string, ConnectionCalls>()
  for (const call of requests) {
    const { id, target } = call
    const key = JSON.stringify('socket' in target ? [id, target] : target)
    const known = connections.get(key)
    if (known === undefined) connections.set(key, { target, calls: [call] })
    else known.calls.push(call)
  }
  return [...connections.values()]
}

function callsOver(stream: Duplex, connection: ConnectionCalls | undefined): readonly Promise<CallResult>[] {
  if (connection === undefined) return []
  const agent = agentForStream(stream, endpointOf(connection.target))
  return connection.calls.map((call) => attempt(call, agent))
}

/** Returns true for a response that a repetition would not change: 503 is one of the two of `/health/ready`. */
const isFinal = ({ path }: CallRequest, result: CallResult | undefined): boolean =>
  result !== undefined && 'status' in result && (result.status !== 503 || path === commonRoutes.ready.path)

const dialTargetOf = (target: CallTarget): DialTarget =>
  'socket' in target
    ? { socket: target.socket }
    : { address: connectableAddress(target.address), port: target.port }
