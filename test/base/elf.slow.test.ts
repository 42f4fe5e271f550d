import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addNotes } from '../../.ci/package/addNotes.ts'
import { elfArchitecture, elfNote, headerSizes, readElfNote, segmentsOf } from '../../src/base/elf.ts'

/** An executable of one loaded segment whose memory ends behind its file, as one with .bss does. */
function executable(): Buffer {
  const file = Buffer.alloc(4096, 1)
  file.write('\x7fELF', 'latin1')
  file.writeUInt16LE(0xb7, 18)
  file.writeBigUInt64LE(64n, 32)
  file.writeUInt16LE(1, 56)
  file.fill(0, 64, 64 + headerSizes.segment)
  file.writeUInt32LE(1, 64)
  for (const [index, value] of [0, 0x400000, 0x400000, 4096, 0x30000, 0x10000].entries()) {
    file.writeBigUInt64LE(BigInt(value), 72 + index * 8)
  }
  return file
}

describe('notes of an ELF file', () => {
  const notes = [elfNote('muster', Buffer.from('1.2.3')), elfNote('OTHER', Buffer.from('content'))]

  it('are read by their names after they were added, and every other byte stays', () => {
    const made = addNotes(executable(), notes)
    expect(readElfNote(made, 'muster')?.toString()).toBe('1.2.3')
    expect(readElfNote(made, 'OTHER')?.toString()).toBe('content')
    expect(readElfNote(made, 'must')).toBeUndefined()
    expect(elfArchitecture(made)).toBe('arm64')
    expect(made.subarray(64, 4096)).toEqual(executable().subarray(64))
    expect(addNotes(executable(), notes)).toEqual(made)
  })

  it('lie as far behind the base as in the file, and behind all memory of the program', () => {
    const [first, added] = segmentsOf(addNotes(executable(), notes))
    expect(added?.address).toBe(0x400000 + (added?.offset ?? 0))
    expect(added?.address).toBeGreaterThanOrEqual((first?.address ?? 0) + (first?.memory ?? 0))
  })

  it('are absent from a file that is cut short, hostile or no program', () => {
    const made = addNotes(executable(), notes)
    for (const size of [0, 40, 70, 0x30010, made.length - 30]) {
      expect(readElfNote(made.subarray(0, size), 'OTHER'), `${size}`).toBeUndefined()
    }
    const endless = Buffer.from(made)
    endless.writeBigUInt64LE(2n ** 62n, 32)
    expect(readElfNote(endless, 'muster')).toBeUndefined()
    expect(elfArchitecture(Buffer.from('#!/bin/sh\n'))).toBeUndefined()
  })

  it('are whole or absent, wherever a file is cut', () => {
    const made = addNotes(executable(), notes)
    for (let size = 0; size < made.length; size += size < 0x30000 ? 0x1000 : 1) {
      const content = readElfNote(made.subarray(0, size), 'OTHER')?.toString()
      expect([undefined, 'content'], `${size}`).toContain(content)
    }
  })

  it('are read or absent from a file with any bytes in its headers and notes', () => {
    const made = addNotes(executable(), notes)
    const headers = Number(made.readBigUInt64LE(32))
    const place = fc.oneof(
      fc.integer({ min: 32, max: 63 }),
      fc.integer({ min: headers, max: made.length - 1 }),
    )
    const change = fc.tuple(place, fc.integer({ min: 0, max: 255 }))
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 20 }), (changes) => {
        const file = Buffer.from(made)
        for (const [at, value] of changes) file[at] = value
        expect(readElfNote(file, 'muster')?.length ?? 0).toBeLessThan(file.length)
      }),
    )
  })

  it('are looked for in a bounded number of notes, however many a file has', () => {
    // Each segment is the whole file, and each 12 bytes of it are a note without name and content.
    const segments = 64
    const file = Buffer.alloc(1024 * 1024)
    file.writeBigUInt64LE(64n, 32)
    file.writeUInt16LE(segments, 56)
    for (let index = 0; index < segments; index += 1) {
      const at = 64 + index * headerSizes.segment
      file.writeUInt32LE(4, at)
      file.writeBigUInt64LE(8192n, at + 8)
      file.writeBigUInt64LE(BigInt(file.length - 8192), at + 32)
    }
    let reads = 0
    const readUInt32LE = file.readUInt32LE.bind(file)
    file.readUInt32LE = (at) => {
      reads += 1
      return readUInt32LE(at)
    }
    expect(readElfNote(file, 'muster')).toBeUndefined()
    expect(reads).toBeLessThan(1000)
  })
})
