/*
 * Packets of the connection phase of the MySQL protocol (dev.mysql.com, "Connection Phase Packets"). What a server
 * takes is read from parse_client_handshake_packet in sql/sql_acl.cc of MariaDB and sql/auth/sql_authentication.cc
 * of MySQL.
 */

const capability = {
  longPassword: 0x1,
  withDatabase: 0x8,
  protocol41: 0x200,
  tls: 0x800,
  secureConnection: 0x8000,
  pluginAuth: 0x80000,
  connectAttributes: 0x100000,
  lengthEncodedAuth: 0x200000,
} as const

const header = 4

/** First byte of a packet's payload. */
export const marks = { ok: 0x00, moreData: 0x01, quit: 0x01, greeting: 0x0a, switchPlugin: 0xfe, error: 0xff }

/** Returns the first whole packet of these bytes, with its header of four bytes; undefined while it is not whole. */
export function packetIn(bytes: Buffer): Buffer | undefined {
  const end = bytes.length < header ? Number.POSITIVE_INFINITY : header + bytes.readUIntLE(0, 3)
  return bytes.length < end ? undefined : bytes.subarray(0, end)
}

/** Returns the first byte of a packet's payload; undefined for an empty one. */
export const packetMark = (packet: Buffer): number | undefined => packet[header]

/** Returns false where these bytes begin neither a greeting of protocol 10 nor a server's error. */
export const beginsAsServer = (bytes: Buffer): boolean =>
  (bytes.length < header || bytes[3] === 0) &&
  (bytes.length <= header || bytes[header] === marks.greeting || bytes[header] === marks.error)

/** Number and text of a server's error packet. */
export function errorIn(packet: Buffer): { readonly number: number; readonly message: string } {
  const number = packet.length < header + 3 ? 0 : packet.readUInt16LE(header + 1)
  return {
    number,
    message: packet
      .subarray(header + 3)
      .toString()
      .replace(/^#.{5}/, ''),
  }
}

/** Capabilities that a greeting offers; 0 where it is cut short. */
export function capabilitiesIn(greeting: Buffer): number {
  const afterVersion = greeting.indexOf(0, header + 1)
  // Thread id, first part of the scramble and a zero stand before the lower two bytes.
  const lower = afterVersion + 1 + 4 + 8 + 1
  if (afterVersion < 0 || greeting.length < lower + 7) return 0
  return (greeting.readUInt16LE(lower) | (greeting.readUInt16LE(lower + 5) << 16)) >>> 0
}

function packetOf(sequence: number, payload: Buffer): Buffer {
  const packet = Buffer.alloc(header + payload.length)
  packet.writeUIntLE(payload.length, 0, 3)
  packet[3] = sequence
  payload.copy(packet, header)
  return packet
}

/** Name of the account that the connector logs in with, in vain, for a client that left; DBAs see it in their log. */
export const placeholderUser = 'muster-client-left'

/** A login without a password that ends a handshake in a way that no server counts against this host. */
export function placeholderLogin(): Buffer {
  const { longPassword, protocol41, secureConnection, pluginAuth } = capability
  const fixed = Buffer.alloc(32)
  fixed.writeUInt32LE(longPassword | protocol41 | secureConnection | pluginAuth, 0)
  fixed.writeUInt32LE(2 ** 24, 4)
  fixed[8] = 33
  return packetOf(1, Buffer.concat([fixed, Buffer.from(`${placeholderUser}\0\0mysql_native_password\0`)]))
}

/** Lengths of a reply that a plugin accepts as one, right or wrong; any other length is a broken handshake to it. */
const answerLengths: ReadonlyMap<string, readonly number[]> = new Map([
  ['mysql_native_password', [0, 20]],
  ['client_ed25519', [64]],
])

const isAnswerLength = (plugin: string, length: number): boolean =>
  answerLengths.get(plugin.toLowerCase())?.includes(length) ?? true

/** Returns the plugin that a packet asks a client to switch to; undefined where it asks for something else. */
const pluginIn = (question: Buffer): string | undefined =>
  packetMark(question) === marks.switchPlugin
    ? question.toString('latin1', header + 1).split('\0', 1)[0]
    : undefined

/** Returns false for a reply to this packet that the server would count as a broken handshake. */
export function isReplyTo(question: Buffer, answer: Buffer): boolean {
  const plugin = pluginIn(question)
  return plugin === undefined || isAnswerLength(plugin, answer.length - header)
}

/** Returns a wrong reply to a packet in which a server asks for more; undefined if it asks for nothing. */
export function wrongReplyTo(question: Buffer): Buffer | undefined {
  // caching_sha2_password says with it that the login is done; OK follows.
  if (packetMark(question) === marks.moreData && question[header + 1] === 3) return undefined
  const plugin = pluginIn(question) ?? ''
  const length = answerLengths.get(plugin)?.[0] ?? 1
  return packetOf(((question[3] ?? 0) + 1) % 256, Buffer.alloc(length))
}

/** The command with which a client that is logged in leaves. */
export const quit = packetOf(0, Buffer.of(marks.quit))

/** Collations of UCS-2, UTF-16 and UTF-32, which no client may use: servers refuse them as broken handshakes. */
const wideCollations: readonly (readonly [first: number, last: number])[] = [
  [35, 35],
  [54, 56],
  [60, 62],
  [90, 90],
  [101, 124],
  [128, 151],
  [159, 183],
]

/** Reads an integer of the length-encoded form; undefined where it is cut short or is none. */
function lengthAt(bytes: Buffer, at: number): { readonly value: number; readonly end: number } | undefined {
  const first = bytes[at]
  if (first === undefined || first === 0xfb || first === 0xff) return undefined
  if (first < 0xfb) return { value: first, end: at + 1 }
  const size = first === 0xfc ? 2 : first === 0xfd ? 3 : 8
  if (at + 1 + size > bytes.length) return undefined
  const value = size === 8 ? Number(bytes.readBigUInt64LE(at + 1)) : bytes.readUIntLE(at + 1, size)
  return { value, end: at + 1 + size }
}

/**
 * Classifies a client's reply to a greeting: `tls` asks for TLS, `login` is one that the server will check by its
 * password, and `broken` is what the server would count against this host.
 */
export function kindOfLogin(packet: Buffer, offered: number): 'tls' | 'login' | 'broken' {
  const payload = packet.subarray(header)
  if (packet[3] !== 1 || payload.length < 32) return 'broken'
  const agreed = (payload.readUInt32LE(0) & offered) >>> 0
  const has = (wanted: number): boolean => (agreed & wanted) !== 0
  if (!has(capability.protocol41)) return 'broken'
  if (has(capability.tls)) return payload.length === 32 ? 'tls' : 'broken'
  const collation = payload[8] ?? 0
  if (wideCollations.some(([first, last]) => collation >= first && collation <= last)) return 'broken'
  return isLogin(payload, has) ? 'login' : 'broken'
}

function isLogin(payload: Buffer, has: (wanted: number) => boolean): boolean {
  const endOfText = (from: number): number => {
    const end = payload.indexOf(0, from)
    return end < 0 ? payload.length : end + 1
  }
  const userEnd = payload.indexOf(0, 32) + 1
  if (userEnd === 0 || userEnd >= payload.length) return false
  const encoded = has(capability.lengthEncodedAuth)
    ? lengthAt(payload, userEnd)
    : { value: payload[userEnd] ?? 0, end: userEnd + 1 }
  // From before 2004, and the only one whose answer has no length.
  if (!has(capability.secureConnection) || encoded === undefined) return false
  const { value: length, end: from } = encoded
  let at = from + length
  if (at > payload.length) return false
  if (has(capability.withDatabase)) {
    if (at >= payload.length) return false
    at = endOfText(at)
  }
  let plugin = 'mysql_native_password'
  if (has(capability.pluginAuth) && at < payload.length) {
    const end = endOfText(at)
    plugin = payload.toString('latin1', at, end).replace(/\0$/, '')
    at = end
  }
  if (!isAnswerLength(plugin, length)) return false
  if (!has(capability.connectAttributes)) return true
  const attributes = lengthAt(payload, at)
  return (
    attributes !== undefined &&
    attributes.value <= 65_535 &&
    attributes.end + attributes.value <= payload.length
  )
}

/** First bytes of TLS: how far they are a whole ClientHello that a server takes up. */
export function helloIn(bytes: Buffer): 'partial' | 'whole' | 'broken' {
  const [type = 22, major = 3] = bytes
  const length = bytes.length < 5 ? 4 : bytes.readUInt16BE(3)
  if (type !== 22 || major !== 3 || length < 4 || length > 16_384) return 'broken'
  if (bytes.length > 5 && bytes[5] !== 1) return 'broken'
  return bytes.length < 5 + length ? 'partial' : 'whole'
}
