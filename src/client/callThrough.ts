import type { Duplex } from 'node:stream'
import { callableAddress } from '../base/address.ts'
import { agentOver } from './agentOver.ts'
import { attempt, type CallRequest, type CallResult, type CallTarget, endpointOf } from './call.ts'

/** Where a connection is to lead. */
export type Place = { readonly address: string; readonly port: number } | { readonly socket: string }

/** Opens a connection, or says why there is none; never rejects. */
export type Dial = (place: Place) => Promise<Duplex | Error>

/** One connection, and the calls that are made over it in turn. */
type Way = { readonly target: CallTarget; readonly calls: CallRequest[] }

/**
 * Makes calls over connections that `dial` opens: one to each server over TCP, for all its calls in turn, and one for
 * each call of a socket. Every call is made once, and changes nothing. Undefined where that is not the whole truth, and
 * somebody on the host itself has to make them: a connection did not come about, a call had no answer, or the API says
 * that it is not ready.
 */
export async function callThrough(
  requests: readonly CallRequest[],
  dial: Dial,
): Promise<readonly CallResult[] | undefined> {
  if (requests.some(({ method, show }) => method !== 'GET' || show !== undefined)) return undefined
  const ways = waysOf(requests)
  const streams = await Promise.all(ways.map(({ target }) => dial(placeOf(target))))
  const opened = streams.flatMap((stream) => (stream instanceof Error ? [] : [stream]))
  try {
    if (opened.length < ways.length) return undefined
    const results = await Promise.all(opened.flatMap((stream, index) => callsOver(stream, ways[index])))
    const answers = new Map(results.map((result) => [result.id, result]))
    return results.every(isAnswer) ? requests.flatMap(({ id }) => answers.get(id) ?? []) : undefined
  } finally {
    for (const stream of opened) stream.destroy()
  }
}

function waysOf(requests: readonly CallRequest[]): readonly Way[] {
  const ways = new Map<string, Way>()
  for (const call of requests) {
    const { id, target } = call
    const key = JSON.stringify('socket' in target ? [id, target] : target)
    const known = ways.get(key)
    if (known === undefined) ways.set(key, { target, calls: [call] })
    else known.calls.push(call)
  }
  return [...ways.values()]
}

function callsOver(stream: Duplex, way: Way | undefined): readonly Promise<CallResult>[] {
  if (way === undefined) return []
  const agent = agentOver(stream, endpointOf(way.target))
  return way.calls.map((call) => attempt(call, agent))
}

const isAnswer = (result: CallResult): boolean => 'status' in result && result.status !== 503

const placeOf = (target: CallTarget): Place =>
  'socket' in target
    ? { socket: target.socket }
    : { address: callableAddress(target.address), port: target.port }
