import { aligned, headerSizes, segmentsOf, segmentTable, segmentTypes } from '../../src/base/elf.ts'

/** Pages of arm64 have up to 64 KiB. */
const page = 0x10000
const readable = 4

/**
 * Returns an ELF executable with more notes. They are put at the end, in a segment of their own, together with the
 * headers of all segments, which have no room at their old place; all other bytes stay. The same file and notes give
 * the same bytes.
 */
export function addNotes(file: Buffer, notes: readonly Buffer[]): Buffer {
  const segments = segmentsOf(file)
  const { offset, count } = segmentTable(file)
  const headers = (count + 2) * headerSizes.segment
  const content = Buffer.concat(notes)
  const loaded = segments.filter(isLoaded)
  const base = (loaded[0]?.address ?? 0) - (loaded[0]?.offset ?? 0)
  const end = Math.max(...loaded.map(({ address, memory }) => address + memory))
  // Linux before 5.18 and QEMU take the headers to be loaded as far behind the base as they lie in the file.
  const place = aligned(Math.max(file.length, end - base), page)
  const address = base + place
  const own = (index: number): Buffer =>
    file.subarray(offset + index * headerSizes.segment, offset + (index + 1) * headerSizes.segment)
  // Loaded segments stand in the order of their addresses (elf(5)).
  const last = segments.findLastIndex(isLoaded)
  const table = segments.flatMap(({ type }, index) => {
    if (type === segmentTypes.headers)
      return [segmentHeader({ type, offset: place, address, size: headers, align: 8 })]
    if (index !== last) return [own(index)]
    const load = {
      type: segmentTypes.load,
      offset: place,
      address,
      size: headers + content.length,
      align: page,
    }
    return [own(index), segmentHeader(load)]
  })
  table.push(
    segmentHeader({
      type: segmentTypes.note,
      offset: place + headers,
      address: address + headers,
      size: content.length,
      align: 4,
    }),
  )
  const made = Buffer.concat([file, Buffer.alloc(place - file.length), ...table, content])
  made.writeBigUInt64LE(BigInt(place), 32)
  made.writeUInt16LE(count + 2, 56)
  return made
}

const isLoaded = ({ type }: { readonly type: number }): boolean => type === segmentTypes.load

function segmentHeader(segment: {
  readonly type: number
  readonly offset: number
  readonly address: number
  readonly size: number
  readonly align: number
}): Buffer {
  const header = Buffer.alloc(headerSizes.segment)
  header.writeUInt32LE(segment.type, 0)
  header.writeUInt32LE(readable, 4)
  const { offset, address, size, align } = segment
  for (const [index, value] of [offset, address, address, size, size, align].entries()) {
    header.writeBigUInt64LE(BigInt(value), 8 + index * 8)
  }
  return header
}
