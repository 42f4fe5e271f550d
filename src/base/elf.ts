/** Segment of a 64-bit little-endian ELF file (elf(5), Elf64_Phdr); numbers are bytes. */
type ElfSegment = {
  readonly type: number
  readonly offset: number
  readonly address: number
  readonly size: number
  readonly memory: number
}

export const segmentTypes = { load: 1, note: 4, headers: 6 } as const

/** Bytes of the header of a file, and of the header of a segment. */
export const headerSizes = { file: 64, segment: 56 } as const

const maxSegments = 64

/** Notes of all segments that are read: the segments of a hostile file may overlap, and hold millions. */
const maxNotes = 64

/** Processors of muster's hosts, by elf(5)'s e_machine. */
const machines: Readonly<Record<number, 'x64' | 'arm64'>> = { 62: 'x64', 183: 'arm64' }

/** Returns the processor of an ELF file; undefined for any other file or processor. */
export function elfArchitecture(start: Buffer): 'x64' | 'arm64' | undefined {
  if (start.length < 20 || start.toString('latin1', 0, 4) !== '\x7fELF') return undefined
  return machines[start.readUInt16LE(18)]
}

/** Returns where the headers of the segments lie, and how many they are. Throws a RangeError for a truncated file. */
export const segmentTable = (file: Buffer): { readonly offset: number; readonly count: number } => ({
  offset: Number(file.readBigUInt64LE(32)),
  count: Math.min(file.readUInt16LE(56), maxSegments),
})

/** Reads the segments of an ELF file. Throws a RangeError for a truncated one. */
export function segmentsOf(file: Buffer): readonly ElfSegment[] {
  const { offset, count } = segmentTable(file)
  return Array.from({ length: count }, (_, index) => {
    const at = offset + index * headerSizes.segment
    const number = (place: number): number => Number(file.readBigUInt64LE(at + place))
    return {
      type: file.readUInt32LE(at),
      offset: number(8),
      address: number(16),
      size: number(32),
      memory: number(40),
    }
  })
}

export const aligned = (size: number, to: number): number => Math.ceil(size / to) * to

/** Returns a note of an ELF file: sizes of name and content, a type of its owner's, and both padded to 4 bytes. */
export function elfNote(name: string, content: Buffer): Buffer {
  const nameBytes = Buffer.from(`${name}\0`, 'latin1')
  const sizes = Buffer.alloc(12)
  sizes.writeUInt32LE(nameBytes.length, 0)
  sizes.writeUInt32LE(content.length, 4)
  const note = Buffer.alloc(12 + aligned(nameBytes.length, 4) + aligned(content.length, 4))
  sizes.copy(note)
  nameBytes.copy(note, 12)
  content.copy(note, 12 + aligned(nameBytes.length, 4))
  return note
}

/** Returns the content of the note of this name; undefined without one, or where the file is truncated. */
export function readElfNote(file: Buffer, name: string): Buffer | undefined {
  try {
    return findNote(file, Buffer.from(`${name}\0`, 'latin1'))
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function findNote(file: Buffer, name: Buffer): Buffer | undefined {
  let seen = 0
  for (const { offset, size } of segmentsOf(file).filter(({ type }) => type === segmentTypes.note)) {
    let at = offset
    for (; at < offset + size && seen < maxNotes; seen += 1) {
      const start = at + 12
      const nameSize = file.readUInt32LE(at)
      const content = start + aligned(nameSize, 4)
      const end = content + file.readUInt32LE(at + 4)
      if (nameSize === name.length && file.subarray(start, start + nameSize).equals(name)) {
        return end <= file.length ? file.subarray(content, end) : undefined
      }
      at = aligned(end, 4)
    }
  }
  return undefined
}
