import { type Agent, Agent as PlainAgent } from 'node:http'
import { Agent as TlsAgent } from 'node:https'
import type { Duplex } from 'node:stream'
import { connect, createSecureContext, type SecureContext } from 'node:tls'
import { cacheLast } from './cacheLast.ts'
import type { Endpoint } from './endpoint.ts'
import { tlsOptions } from './request.ts'

const usedUp = (): Error => Object.assign(new Error('the connection was closed'), { code: 'ECONNRESET' })

/** All hosts of a cluster trust the same authorities, and parsing them takes as long as a handshake. */
const contexts = cacheLast<SecureContext>()

const contextOf = (options: ReturnType<typeof tlsOptions>): SecureContext =>
  contexts(JSON.stringify([options.ca, options.minVersion]), () => createSecureContext(options))

/**
 * Creates an agent that uses `stream` as its only connection to the endpoint: over TCP for consecutive calls,
 * over a socket for one. After its end, calls fail like on a reset connection.
 */
export function agentForStream(stream: Duplex, endpoint: Endpoint): Agent {
  const agent = endpoint.kind === 'tcp' ? new TlsAgent({ keepAlive: true, maxSockets: 1 }) : new PlainAgent()
  // There is one connection, whatever a call says of it: newer Node.js tells them apart by functions, too.
  agent.getName = () => 'the one'
  let used = false
  agent.createConnection = (_options, done) => {
    if (used) {
      done?.(usedUp(), stream)
      return undefined
    }
    used = true
    if (endpoint.kind === 'socket') return stream
    const options = tlsOptions(endpoint)
    return connect({ ...options, secureContext: contextOf(options), socket: stream })
  }
  return agent
}
