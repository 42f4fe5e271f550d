import { addressText } from '../../base/address.ts'
import type { Listener } from './hostFacts.ts'

/** Parses the LISTEN rows (state 0A) of /proc/net/tcp and tcp6 (proc(5)). */
export function parseListeners(text: string): Listener[] {
  return text.split('\n').flatMap((line) => {
    const match = /^\s*\d+:\s+([0-9A-F]{8}|[0-9A-F]{32}):([0-9A-F]{4})\s+[0-9A-F]+:[0-9A-F]{4}\s+0A\s/.exec(
      line,
    )
    const [, address, port] = match ?? []
    return address === undefined || port === undefined
      ? []
      : [{ address: decodeAddress(address), port: Number.parseInt(port, 16) }]
  })
}

/** Decodes an address: the kernel prints each 32-bit word in host byte order, little-endian on x86-64 and arm64. */
function decodeAddress(hex: string): string {
  const bytes = (hex.match(/.{8}/g) ?? []).flatMap((word) =>
    (word.match(/../g) ?? []).reverse().map((byte) => Number.parseInt(byte, 16)),
  )
  return addressText(Buffer.from(bytes))
}
