import type { Architecture } from './pinned.ts'

/** The processor an ELF file is for (elf(5): e_machine at offset 18); undefined when it is none of ours. */
export function elfArchitecture(content: Buffer): Architecture | undefined {
  if (content.length < 20 || content.toString('latin1', 0, 4) !== '\x7fELF') return undefined
  const machine = content.readUInt16LE(18)
  if (machine === 0x3e) return 'x64'
  return machine === 0xb7 ? 'arm64' : undefined
}

/** How a file is packed, by its first bytes: gzip (RFC 1952) or xz; undefined for anything else. */
export function packingOf(content: Buffer): 'gzip' | 'xz' | undefined {
  if (content[0] === 0x1f && content[1] === 0x8b) return 'gzip'
  return content.toString('latin1', 0, 6) === '\xfd7zXZ\x00' ? 'xz' : undefined
}
