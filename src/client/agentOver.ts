import { type Agent, Agent as PlainAgent } from 'node:http'
import { Agent as TlsAgent } from 'node:https'
import type { Duplex } from 'node:stream'
import { connect } from 'node:tls'
import type { Endpoint } from './endpoint.ts'
import { tlsOptions } from './request.ts'

const usedUp = (): Error => Object.assign(new Error('the connection was closed'), { code: 'ECONNRESET' })

/**
 * An agent whose only connection to the endpoint goes over `stream`: over TCP for calls one after another, to a socket
 * for a single one. Once it is over, calls fail as those of a connection that was reset.
 */
export function agentOver(stream: Duplex, endpoint: Endpoint): Agent {
  const agent = endpoint.kind === 'tcp' ? new TlsAgent({ keepAlive: true, maxSockets: 1 }) : new PlainAgent()
  let used = false
  agent.createConnection = (_options, done) => {
    if (used) {
      done?.(usedUp(), stream)
      return undefined
    }
    used = true
    return endpoint.kind === 'tcp' ? connect({ ...tlsOptions(endpoint), socket: stream }) : stream
  }
  return agent
}
