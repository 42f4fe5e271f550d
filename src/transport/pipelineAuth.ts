import type { Client, ParsedKey } from 'ssh2'
import type { LoginKey } from './login/loginKeys.ts'

type Sign = (data: Buffer, done: (signature: Buffer) => void) => void

/** The private members of ssh2 1.17 that are used here. */
type Protocol = {
  service(name: string): void
  authPK(user: string, key: ParsedKey, algorithm: string | undefined, sign?: Sign): void
  readonly _handlers: { SERVICE_ACCEPT: (protocol: Protocol, name: string) => void }
}

/**
 * Saves two round trips of a login by using private members of ssh2, the only place that does so. Offers the
 * first key together with the service request: the server has proved its key by then (RFC 4253, section 10).
 * Signs with local keys at once, without asking whether the server accepts them (RFC 4252, section 7, allows
 * that); an agent is asked only for accepted keys, since it may ask a person. Returns false and changes
 * nothing if another version has other members.
 */
export function pipelineAuth(client: Client, keys: readonly LoginKey[]): boolean {
  const protocol = privateProtocol(client)
  if (protocol === undefined) return false
  const ask = protocol.authPK.bind(protocol)
  protocol.authPK = (user, key, algorithm, sign) => {
    if (sign !== undefined || !key.isPrivateKey()) return ask(user, key, algorithm, sign)
    const signAtOnce: Sign = (data, done) => {
      const signature: Buffer | Error = key.sign(data, hashes[algorithm ?? ''])
      // ssh2 reports the problem of the key when the server asks for it.
      if (signature instanceof Error) ask(user, key, algorithm)
      else done(signature)
    }
    ask(user, key, algorithm, signAtOnce)
  }
  // The server announces the signature algorithms for RSA right after the handshake.
  if (keys.some(({ key }) => key.type === 'ssh-rsa')) return true
  const request = protocol.service.bind(protocol)
  const handlers = protocol._handlers
  protocol.service = (name) => {
    request(name)
    if (name !== 'ssh-userauth') return
    const begin = handlers.SERVICE_ACCEPT
    handlers.SERVICE_ACCEPT = () => undefined
    begin(protocol, name)
  }
  return true
}

const hashes: Readonly<Record<string, string>> = { 'rsa-sha2-256': 'sha256', 'rsa-sha2-512': 'sha512' }

function privateProtocol(client: Client): Protocol | undefined {
  if (!('_protocol' in client)) return undefined
  const { _protocol: protocol } = client
  return isProtocol(protocol) ? protocol : undefined
}

function isProtocol(value: unknown): value is Protocol {
  if (typeof value !== 'object' || value === null) return false
  if (!('service' in value && 'authPK' in value && '_handlers' in value)) return false
  const { service, authPK, _handlers: handlers } = value
  if (typeof service !== 'function' || typeof authPK !== 'function') return false
  if (typeof handlers !== 'object' || handlers === null || !('SERVICE_ACCEPT' in handlers)) return false
  return typeof handlers.SERVICE_ACCEPT === 'function'
}
