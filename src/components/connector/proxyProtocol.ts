import { addressBytes } from '../../base/address.ts'

/** Both ends of a client's connection, as its socket names them. */
type Ends = {
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
