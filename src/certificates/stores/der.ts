import type forge from 'node-forge'
import asn1 from 'node-forge/lib/asn1.js'

const universal = asn1.Class.UNIVERSAL
const types = asn1.Type

/** A node of a DER tree; only this file looks inside. */
export type Der = forge.asn1.Asn1

/** Bytes that do not follow their format. The message names the part and quotes no content. */
export class MalformedError extends Error {}

const primitive = (type: forge.asn1.Type, content: Buffer): Der =>
  asn1.create(universal, type, false, content.toString('latin1'))

export const sequence = (...nodes: readonly Der[]): Der =>
  asn1.create(universal, types.SEQUENCE, true, [...nodes])

export const set = (...nodes: readonly Der[]): Der => asn1.create(universal, types.SET, true, [...nodes])

/** Constructed [number], explicit tagging. */
export const context = (number: number, ...nodes: readonly Der[]): Der =>
  asn1.create(asn1.Class.CONTEXT_SPECIFIC, number, true, [...nodes])

/** Primitive [number], implicit tagging. */
export const contextOctets = (number: number, content: Buffer): Der =>
  asn1.create(asn1.Class.CONTEXT_SPECIFIC, number, false, content.toString('latin1'))

export const octets = (content: Buffer): Der => primitive(types.OCTETSTRING, content)

/** A bit string of whole bytes. */
export const bits = (content: Buffer, unused = 0): Der =>
  primitive(types.BITSTRING, Buffer.concat([Buffer.of(unused), content]))

export const boolean = (value: boolean): Der => primitive(types.BOOLEAN, Buffer.of(value ? 0xff : 0))

export const nothing = (): Der => primitive(types.NULL, Buffer.alloc(0))

/** A non-negative integer, from a number or big-endian bytes. */
export const integer = (value: number | Buffer): Der =>
  typeof value === 'number'
    ? primitive(types.INTEGER, Buffer.from(asn1.integerToDer(value).getBytes(), 'latin1'))
    : primitive(types.INTEGER, value)

export const oid = (dotted: string): Der =>
  primitive(types.OID, Buffer.from(asn1.oidToDer(dotted).getBytes(), 'latin1'))

export const utf8 = (text: string): Der => primitive(types.UTF8, Buffer.from(text, 'utf8'))

/** UTF-16 text (BMPString). */
export const bmp = (text: string): Der => asn1.create(universal, types.BMPSTRING, false, text)

/** UTCTime until 2049, GeneralizedTime after (RFC 5280, section 4.1.2.5). */
export const time = (date: Date): Der =>
  date.getUTCFullYear() < 2050
    ? primitive(types.UTCTIME, Buffer.from(asn1.dateToUtcTime(date), 'latin1'))
    : primitive(types.GENERALIZEDTIME, Buffer.from(asn1.dateToGeneralizedTime(date), 'latin1'))

export const encode = (node: Der): Buffer => Buffer.from(asn1.toDer(node).getBytes(), 'latin1')

/** Reads DER, and BER of indefinite length; throws `MalformedError`. */
export function decode(bytes: Buffer): Der {
  const options = { strict: true, parseAllBytes: true, decodeBitStrings: false }
  try {
    // The typings know the older signature only; the options keep bit strings as they are.
    return (asn1.fromDer as unknown as (input: string, options: object) => Der)(
      bytes.toString('latin1'),
      options,
    )
  } catch {
    throw new MalformedError('not DER')
  }
}

/** Returns the child nodes; throws `MalformedError` for a primitive node. */
export function children(node: Der | undefined): readonly Der[] {
  if (node === undefined || typeof node.value === 'string') throw new MalformedError('a sequence is missing')
  return node.value
}

/** Returns the bytes of a primitive node, or of an octet string in chunks; throws `MalformedError`. */
export function content(node: Der | undefined): Buffer {
  if (node === undefined) throw new MalformedError('a value is missing')
  if (typeof node.value === 'string') return Buffer.from(node.value, 'latin1')
  return Buffer.concat(node.value.map(content))
}

/** Reads an object identifier in dotted form; throws `MalformedError`. */
export function oidOf(node: Der | undefined): string {
  if (node?.type !== types.OID || node.tagClass !== universal) throw new MalformedError('an OID is missing')
  return asn1.derToOid(content(node).toString('latin1'))
}

/** Reads a non-negative integer below 2^47; throws `MalformedError`. */
export function numberOf(node: Der | undefined): number {
  const bytes = content(node)
  if (node?.type !== types.INTEGER || bytes.length > 6 || bytes.length === 0) {
    throw new MalformedError('a number is missing')
  }
  return bytes.readUIntBE(0, bytes.length)
}

/** Reads the text of a BMPString; undefined for any other node. */
export const bmpOf = (node: Der | undefined): string | undefined =>
  node?.type === types.BMPSTRING && typeof node.value === 'string' ? node.value : undefined

export const isSequence = (node: Der | undefined): boolean =>
  node?.type === types.SEQUENCE && node.tagClass === universal
