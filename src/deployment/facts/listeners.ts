import type { Listener } from './model.ts'

/** Reads the LISTEN rows (state 0A) of /proc/net/tcp and tcp6 (proc(5)). */
export function parseListeners(text: string): Listener[] {
  return text.split('\n').flatMap((line) => {
    const match = /^\s*\d+:\s+([0-9A-F]+):([0-9A-F]{4})\s+[0-9A-F]+:[0-9A-F]{4}\s+0A\s/.exec(line)
    const [, address, port] = match ?? []
    return address === undefined || port === undefined
      ? []
      : [{ address: decodeAddress(address), port: Number.parseInt(port, 16) }]
  })
}

/** The kernel prints each 32-bit word in host byte order; x86-64 and arm64 are both little-endian. */
function decodeAddress(hex: string): string {
  const bytes = (hex.match(/.{8}/g) ?? []).flatMap((word) =>
    (word.match(/../g) ?? []).reverse().map((byte) => Number.parseInt(byte, 16)),
  )
  if (bytes.length === 4) return bytes.join('.')
  const mapped = bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff
  if (mapped) return bytes.slice(12).join('.')
  if (bytes.every((byte) => byte === 0)) return '::'
  if (bytes.slice(0, 15).every((byte) => byte === 0) && bytes[15] === 1) return '::1'
  const groups = Array.from({ length: 8 }, (_, index) =>
    (((bytes[index * 2] ?? 0) << 8) | (bytes[index * 2 + 1] ?? 0)).toString(16),
  )
  return groups.join(':')
}

/** Whether two listeners on one port would clash: the same address, or either listens everywhere. */
export function addressesClash(first: string, second: string): boolean {
  const everywhere = (address: string): boolean => address === '0.0.0.0' || address === '::'
  return first === second || everywhere(first) || everywhere(second)
}
