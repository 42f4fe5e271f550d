import type { Client, ParsedKey } from 'ssh2'
import type { LoginKey } from './loginKeys.ts'

type Sign = (data: Buffer, done: (signature: Buffer) => void) => void

/** The part of ssh2's inside that is used here. */
type Protocol = {
  service(name: string): void
  authPK(user: string, key: ParsedKey, algorithm: string | undefined, sign?: Sign): void
  readonly _handlers: { SERVICE_ACCEPT: (protocol: Protocol, name: string) => void }
}

/**
 * Saves two round trips of a login. The first key is offered together with the request for the service: the server
 * has proved its key by then (RFC 4253, section 10). And keys that are here are signed with at once, without asking
 * beforehand whether the server takes them (RFC 4252, section 7, leaves that to the client); an agent is asked only
 * for what the server takes, since it may ask a person. With an ssh2 whose inside is another nothing is saved.
 */
export function hastenLogin(client: Client, keys: readonly LoginKey[]): void {
  const protocol = insideOf(client)
  if (protocol === undefined) return
  const ask = protocol.authPK.bind(protocol)
  protocol.authPK = (user, key, algorithm, sign) => {
    if (sign !== undefined || !key.isPrivateKey()) return ask(user, key, algorithm, sign)
    const signAtOnce: Sign = (data, done) => {
      const signature: Buffer | Error = key.sign(data, hashes[algorithm ?? ''])
      // ssh2 says what is wrong with the key, once the server wants it.
      if (signature instanceof Error) ask(user, key, algorithm)
      else done(signature)
    }
    ask(user, key, algorithm, signAtOnce)
  }
  // Which signatures an RSA key may make is told right behind the handshake.
  if (keys.some(({ key }) => key.type === 'ssh-rsa')) return
  const request = protocol.service.bind(protocol)
  const handlers = protocol._handlers
  protocol.service = (name) => {
    request(name)
    if (name !== 'ssh-userauth') return
    const begin = handlers.SERVICE_ACCEPT
    handlers.SERVICE_ACCEPT = () => undefined
    begin(protocol, name)
  }
}

const hashes: Readonly<Record<string, string>> = { 'rsa-sha2-256': 'sha256', 'rsa-sha2-512': 'sha512' }

function insideOf(client: Client): Protocol | undefined {
  if (!('_protocol' in client)) return undefined
  const { _protocol: inside } = client
  return isProtocol(inside) ? inside : undefined
}

function isProtocol(value: unknown): value is Protocol {
  if (typeof value !== 'object' || value === null) return false
  if (!('service' in value && 'authPK' in value && '_handlers' in value)) return false
  const { service, authPK, _handlers: handlers } = value
  if (typeof service !== 'function' || typeof authPK !== 'function') return false
  if (typeof handlers !== 'object' || handlers === null || !('SERVICE_ACCEPT' in handlers)) return false
  return typeof handlers.SERVICE_ACCEPT === 'function'
}
