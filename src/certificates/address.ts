/** The bytes of an IPv4 (4) or IPv6 (16) address, a zone left out; undefined for anything else, such as a name. */
export function addressBytes(text: string): Buffer | undefined {
  if (text.includes(':')) return ipv6Bytes(text.replace(/%.*$/, ''))
  return ipv4Bytes(text)
}

/** Whether it is `0.0.0.0` or `::`: an address to listen on, never one to be reached at. */
export const isUnspecified = (address: Buffer): boolean => address.every((byte) => byte === 0)

/** The usual text of an address: dotted, or eight groups without leading zeros. */
export function addressText(address: Buffer): string {
  if (address.length === 4) return [...address].join('.')
  return Array.from({ length: 8 }, (_, index) => address.readUInt16BE(index * 2).toString(16)).join(':')
}

function ipv4Bytes(text: string): Buffer | undefined {
  const parts = text.split('.')
  const good =
    parts.length === 4 && parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256)
  return good ? Buffer.from(parts.map(Number)) : undefined
}

function ipv6Bytes(text: string): Buffer | undefined {
  const halves = text.split('::')
  const [head, tail] = halves.map((half, index) => groups(half, index === halves.length - 1))
  if (head === undefined || halves.length > 2) return undefined
  if (halves.length === 1) return head.length === 16 ? head : undefined
  if (tail === undefined || head.length + tail.length > 14) return undefined
  return Buffer.concat([head, Buffer.alloc(16 - head.length - tail.length), tail])
}

/** The bytes of `a:b:c`, or at the address's end `a:b:1.2.3.4`; undefined when a group is wrong. */
function groups(text: string, atEnd: boolean): Buffer | undefined {
  if (text === '') return Buffer.alloc(0)
  const parts = text.split(':')
  const bytes = parts.map((part, index) => {
    if (atEnd && index === parts.length - 1 && part.includes('.')) return ipv4Bytes(part)
    if (!/^[0-9a-f]{1,4}$/i.test(part)) return undefined
    return Buffer.from(part.padStart(4, '0'), 'hex')
  })
  const good = bytes.filter((one) => one !== undefined)
  return good.length === bytes.length ? Buffer.concat(good) : undefined
}
