import { readFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import type { Socket } from 'node:net'
import type { Origin } from '../accounts/fairQueue.ts'
import { addressBytes, addressText, isLoopback, kernelPort } from '../base/address.ts'
import { shareRuns } from '../base/concurrency.ts'

/**
 * Returns the network by which callers are counted: an IPv4 address as it is, also mapped into IPv6; of IPv6 the
 * first 64 bits. A host can choose the others at will (RFC 4291 section 2.5.1, RFC 8981), so they tell nobody apart.
 */
export function peerNetwork(address: string): string {
  const bytes = addressBytes(address)
  if (bytes === undefined) return address
  if (bytes.length === 4) return addressText(bytes)
  const groups = [0, 2, 4, 6].map((at) => bytes.readUInt16BE(at).toString(16))
  return `${groups.join(':')}::/64`
}

/** The two ends of a connection, as our side sees them. */
type Ends = Pick<Socket, 'remoteAddress' | 'remotePort' | 'localAddress' | 'localPort'>

/** Returns a key of a connection, the same for its TCP and its TLS socket. */
export const endsOf = ({ remoteAddress, remotePort, localAddress, localPort }: Ends): string =>
  [remoteAddress, remotePort, localAddress, localPort].join(' ')

/** IPv4 addresses in the words of IPv6 (RFC 4291 section 2.5.5.2), as the kernel writes them on this machine. */
const mappedPrefix = '0000000000000000'.concat(kernelWords([0, 0, 0xff, 0xff]))

/** Bytes in 32-bit words of the machine's own order, as /proc/net/tcp has addresses (proc(5)). */
function kernelWords(bytes: Iterable<number>): string {
  const view = new DataView(Uint8Array.from(bytes).buffer)
  const native = new Uint32Array(Uint8Array.from(bytes).buffer)
  return Array.from({ length: view.byteLength / 4 }, (_, index) => native[index] ?? 0)
    .map((word) => word.toString(16).toUpperCase().padStart(8, '0'))
    .join('')
}

const kernelAddress = (address: string): string => kernelWords(addressBytes(address) ?? [])

/**
 * Returns the user id of the process at the other end of a connection within this host, by the text of /proc/net/tcp
 * and tcp6. Only a row of an established connection that a process holds counts (state 01 and an inode): the kernel
 * writes 0, root's, for every other.
 */
export function uidOfPeer(tables: string, ends: Ends): number | undefined {
  const { remoteAddress, remotePort, localAddress, localPort } = ends
  if (!remoteAddress || !localAddress || !remotePort || !localPort) return undefined
  const [peer, own] = [kernelAddress(remoteAddress), kernelAddress(localAddress)]
  const prefixes = peer.length === 8 ? ['', mappedPrefix] : ['']
  for (const prefix of prefixes) {
    // Seen from the peer, its own address stands first.
    const row = ` ${prefix}${peer}:${kernelPort(remotePort)} ${prefix}${own}:${kernelPort(localPort)} 01 `
    const at = tables.indexOf(row)
    if (at < 0) continue
    const rest = tables.slice(at + row.length, at + row.length + 200)
    const [, uid, inode] = /^\S+ \S+ \S+ +(\d+) +\d+ (\d+) /.exec(rest) ?? []
    if (uid !== undefined && inode !== '0') return Number(uid)
  }
  return undefined
}

/** Bytes of the tables at most: some 200,000 connections. */
const maxTableBytes = 32 * 1024 * 1024

async function readTable(path: string): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  const handle = await open(path, 'r')
  try {
    for await (const chunk of handle.createReadStream({ highWaterMark: 1024 * 1024, autoClose: false })) {
      size += chunk.length
      if (size > maxTableBytes) break
      chunks.push(chunk)
    }
  } finally {
    await handle.close()
  }
  return Buffer.concat(chunks).toString('latin1')
}

const readTables = async (): Promise<string> =>
  (
    await Promise.all(['tcp', 'tcp6'].map((name) => readTable(`/proc/self/net/${name}`).catch(() => '')))
  ).join('')

/** Tables that were read after this call. */
const freshTables = shareRuns(readTables)

/** Bytes of the kernel's tables of addresses. */
const maxAddressBytes = 4 * 1024 * 1024

/**
 * Addresses of this host, from the kernel's tables (proc(5), `fib_trie` and `if_inet6`): the units may not open the
 * sockets (AF_NETLINK) that os.networkInterfaces() asks with.
 */
function ownAddresses(): ReadonlySet<string> {
  const table = (name: string): string => {
    try {
      return readFileSync(`/proc/self/net/${name}`, 'latin1').slice(0, maxAddressBytes)
    } catch {
      return ''
    }
  }
  const ipv4 = [...table('fib_trie').matchAll(/\|-- ([\d.]+)\n\s+\/32 host LOCAL/g)].map(
    ([, one = '']) => one,
  )
  const ipv6 = [...table('if_inet6').matchAll(/^([0-9a-f]{32}) /gm)].map(([, hex = '']) =>
    addressText(Buffer.from(hex, 'hex')),
  )
  return new Set([...ipv4, ...ipv6])
}

const isOwnByConnection = new WeakMap<object, boolean>()

/** Returns true for a peer that can only be a process of this host. Found out once for each connection. */
export function isOwnAddress(ends: Ends): boolean {
  const isOwn = isOwnByConnection.get(ends) ?? isFromThisHost(ends)
  isOwnByConnection.set(ends, isOwn)
  return isOwn
}

function isFromThisHost({ remoteAddress, localAddress }: Ends): boolean {
  if (remoteAddress === undefined) return false
  if (isLoopback(remoteAddress) || remoteAddress === localAddress) return true
  const bytes = addressBytes(remoteAddress)
  return bytes !== undefined && ownAddresses().has(addressText(bytes))
}

const origins = new WeakMap<object, Promise<Origin>>()

async function findOrigin(ends: Ends): Promise<Origin> {
  const name = peerNetwork(ends.remoteAddress ?? 'gone')
  if (!isOwnAddress(ends)) return { name, isLocal: false }
  const uid = uidOfPeer(await freshTables(), ends)
  return { name: uid === undefined ? name : `uid ${uid}`, isLocal: true }
}

/**
 * Returns the network of a connection or, where it comes from this host and the system tells, the user that opened it,
 * whichever address that user chose. Looked up once for each connection.
 */
export function originOf(socket: Ends): Promise<Origin> {
  const origin = origins.get(socket) ?? findOrigin(socket)
  origins.set(socket, origin)
  return origin
}
