import type { Socket } from 'node:net'
import { addressBytes, addressText, canonicalAddress } from '../../base/address.ts'
import type { Clock } from '../clock.ts'
import { headerTooLate, noProxyHeader, type Refusal, withoutHeader } from './refusal.ts'

/** Both ends of a client's connection, as its socket names them. */
export type Ends = {
  readonly remoteAddress?: string | undefined
  readonly remotePort?: number | undefined
  readonly localAddress?: string | undefined
  readonly localPort?: number | undefined
}

/** Begin of every header of version 2 (haproxy.org, "The PROXY protocol", section 2.2). */
const signature = Buffer.from('0d0a0d0a000d0a515549540a', 'hex')

/** Version 2 with the commands LOCAL and PROXY; TCP over IPv4 and over IPv6. */
const codes = { local: 0x20, proxy: 0x21, ipv4: 0x11, ipv6: 0x21 } as const

/**
 * Returns the header by which a proxy says whose connection it passes on. That of a client that is gone says that the
 * connection is the proxy's own.
 */
export function proxyHeader(ends: Ends): Buffer {
  const [from, to] = [addressBytes(ends.remoteAddress ?? ''), addressBytes(ends.localAddress ?? '')]
  if (!from || !to || from.length !== to.length) {
    return Buffer.concat([signature, Buffer.of(codes.local, 0, 0, 0)])
  }
  const family = from.length === 4 ? codes.ipv4 : codes.ipv6
  const head = Buffer.of(codes.proxy, family, 0, 2 * from.length + 4)
  const ports = Buffer.alloc(4)
  ports.writeUInt16BE(ends.remotePort ?? 0, 0)
  ports.writeUInt16BE(ends.localPort ?? 0, 2)
  return Buffer.concat([signature, head, from, to, ports])
}

/** Returns true where the first so many bits of two addresses are the same. */
const sharesBits = (one: Buffer, other: Buffer, bits: number): boolean =>
  one.every((byte, index) => {
    const left = Math.min(8, Math.max(0, bits - 8 * index))
    return (byte ^ (other[index] ?? 0)) >> (8 - left) === 0
  })

/**
 * Returns true where an address is in one of the networks, such as `10.0.0.0/8, ::1` or `*` for all (MariaDB,
 * "proxy_protocol_networks"). Words that are none, such as `localhost` for sockets of Unix, do not count.
 */
export function isInNetworks(address: string | undefined, networks: string): boolean {
  const bytes = addressBytes(address ?? '')
  if (!bytes) return false
  return networks.split(/[\s,]+/).some((word) => {
    if (word === '*') return true
    const [network = '', length] = word.split('/')
    const its = addressBytes(network)
    if (its?.length !== bytes.length) return false
    const bits = length === undefined ? 8 * its.length : Number(length)
    return Number.isInteger(bits) && bits >= 0 && bits <= 8 * its.length && sharesBits(bytes, its, bits)
  })
}

/** Begin of every header of version 1 (section 2.1). */
const lineBegin = Buffer.from('PROXY ')

/**
 * Bytes of a whole header at most: the longest line of version 1; of version 2 what goes unsplit through every network
 * (576 bytes, less the headers of IP and TCP), which leaves more than 300 for further fields beside IPv6.
 */
export const longestHeader = { line: 107, binary: 536 } as const

/**
 * Header that a connection begins with: its bytes, and the ends of the connection that is passed on. Without ends it is
 * the sender's own connection, such as a check of a load balancer, or none of TCP.
 */
type FoundHeader = { readonly length: number; readonly ends?: Ends }

/** Finds the header at the begin of what was received: `partial` may become one, `broken` cannot. */
export function findHeader(bytes: Buffer): FoundHeader | 'partial' | 'broken' {
  if (isBegin(bytes, signature)) return findBinary(bytes)
  return isBegin(bytes, lineBegin) ? findLine(bytes.subarray(0, longestHeader.line)) : 'broken'
}

/** Returns true where both are the same as far as they go. */
const isBegin = (bytes: Buffer, begin: Buffer): boolean =>
  begin.subarray(0, bytes.length).equals(bytes.subarray(0, begin.length))

function findBinary(bytes: Buffer): ReturnType<typeof findHeader> {
  const [command, kind = 0] = bytes.subarray(signature.length, 14)
  if (command !== undefined && command !== codes.local && command !== codes.proxy) return 'broken'
  if (bytes.length < 16) return 'partial'
  const length = 16 + bytes.readUInt16BE(14)
  if (length > longestHeader.binary) return 'broken'
  if (bytes.length < length) return 'partial'
  if (command === codes.local) return { length }
  // Of families and transports only those up to Unix and datagrams are assigned.
  if (kind >> 4 > 3 || (kind & 0xf) > 2) return 'broken'
  if (kind !== codes.ipv4 && kind !== codes.ipv6) return { length }
  const size = kind === codes.ipv4 ? 4 : 16
  const ports = 16 + 2 * size
  if (length < ports + 4) return 'broken'
  const ends = {
    remoteAddress: addressText(bytes.subarray(16, 16 + size)),
    remotePort: bytes.readUInt16BE(ports),
    localAddress: addressText(bytes.subarray(16 + size, ports)),
    localPort: bytes.readUInt16BE(ports + 2),
  }
  return { length, ends }
}

const unknownLine = /^PROXY UNKNOWN(?: [\x20-\x7e]*)?\r$/
const tcpLine = /^PROXY TCP([46]) ([\da-fA-F.:]+) ([\da-fA-F.:]+) (0|[1-9]\d{0,4}) (0|[1-9]\d{0,4})\r$/

/** Finds a header of version 1; the bytes are no more than it may have. */
function findLine(bytes: Buffer): ReturnType<typeof findHeader> {
  const end = bytes.indexOf('\n')
  if (end < 0) return bytes.length < longestHeader.line ? 'partial' : 'broken'
  const length = end + 1
  const line = bytes.toString('latin1', 0, end)
  if (unknownLine.test(line)) return { length }
  const [, family, from = '', to = '', ...ports] = tcpLine.exec(line) ?? []
  const [remoteAddress, localAddress] = [from, to].map((address) => {
    const bytesOfIt = address.includes(':') === (family === '6') ? addressBytes(address) : undefined
    return bytesOfIt && addressText(bytesOfIt)
  })
  const [remotePort = 0, localPort = 0] = ports.map(Number)
  if (remoteAddress === undefined || localAddress === undefined) return 'broken'
  if (remotePort > 65_535 || localPort > 65_535) return 'broken'
  return { length, ends: { remoteAddress, remotePort, localAddress, localPort } }
}

/**
 * Milliseconds in which a load balancer has to send its header: at once, and twice again where it was lost. A database
 * speaks first, so a client behind one that sends none would wait for as long as its own limits are.
 */
export const headerTimeout = 5000

/** Milliseconds for which the last connection without a header is noted. */
export const headerNoteTime = 10 * 60_000

/** Load balancers, which have to name their clients. */
type Balancers = {
  /**
   * Reads the header of a connection that comes from one of them; what follows is left in the socket, which is paused.
   * False for all other connections, of which nothing is read.
   */
  read(
    socket: Socket,
    on: { readonly onClient: (ends: Ends) => void; readonly onRefused: (refusal: Refusal) => void },
  ): boolean
  /** Returns what is wrong with them. */
  notes(): readonly string[]
}

/** Reads headers of connections from these networks. */
export function createBalancers(options: {
  readonly networks: readonly string[]
  readonly clock: Clock
}): Balancers {
  const { clock } = options
  const networks = options.networks.join(',')
  /** The last one that sent no header, and what it did instead. */
  let noted: { readonly from: string; readonly what: string; readonly at: number } | undefined

  return {
    read: (socket, { onClient, onRefused }) => {
      if (networks === '' || !isInNetworks(socket.remoteAddress, networks)) return false
      const { remoteAddress = '' } = socket
      const from = canonicalAddress(remoteAddress) ?? remoteAddress
      let bytes: Buffer = Buffer.alloc(0)

      function settle(): void {
        cancel()
        socket.off('data', onData)
        socket.off('end', onEnd)
        socket.off('close', cancel)
        socket.pause()
      }

      function refuse(what: string): void {
        settle()
        noted = { from, what, at: clock.elapsed() }
        onRefused(noProxyHeader(from, what))
      }

      function onData(chunk: Buffer): void {
        bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk])
        const header = findHeader(bytes)
        if (header === 'partial') return
        if (header === 'broken') {
          refuse(withoutHeader)
          return
        }
        settle()
        if (noted?.from === from) noted = undefined
        if (bytes.length > header.length) socket.unshift(bytes.subarray(header.length))
        onClient(header.ends ?? socket)
      }

      /** A check of a balancer may end without a word. */
      function onEnd(): void {
        if (bytes.length > 0) refuse(withoutHeader)
        else socket.destroy()
      }

      const cancel = clock.after(headerTimeout, () => refuse(headerTooLate(headerTimeout)))
      socket.on('error', () => undefined)
      socket.on('data', onData)
      socket.on('end', onEnd)
      socket.on('close', cancel)
      return true
    },
    notes: () =>
      noted && clock.elapsed() < noted.at + headerNoteTime
        ? [
            `a connection from ${noted.from} ${noted.what} and was ended: application-proxy-networks names that address`,
          ]
        : [],
  }
}
