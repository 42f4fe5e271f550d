import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { collectOutput } from '../../../src/transport/shell/responses.ts'
import { heapInUse } from '../../support/heapInUse.ts'

const marker = 'c0ffee'

/** Feeds `bytes` cut at the given places. */
function fed(bytes: Buffer, cuts: readonly number[], cap = 1000) {
  const collector = collectOutput({ marker, cap, lines: 1000 })
  const places = [...new Set(cuts.map((cut) => cut % bytes.length))].sort((a, b) => a - b)
  const answers = [0, ...places].map((start, index) =>
    collector.push(bytes.subarray(start, places[index] ?? bytes.length)),
  )
  return answers.find((answer) => answer !== undefined)
}

describe('collectOutput', () => {
  it('finds the marker however the stream is split', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), fc.array(fc.nat()), (output, cuts) => {
        const answer = fed(Buffer.concat([output, Buffer.from(`\n${marker} 17\n`)]), cuts)
        expect(answer).toEqual({
          output: Buffer.from(output),
          length: output.length,
          isCut: false,
          rest: '17',
          behind: Buffer.alloc(0),
        })
      }),
    )
  })

  it('hands the output over as it arrives, but for what may begin the marker', () => {
    const output = fc.array(fc.constantFrom('\n', marker, 'c0ff', 'x'), { maxLength: 12 })
    fc.assert(
      fc.property(output, fc.array(fc.nat()), (parts, cuts) => {
        // A marker at the beginning of a line would end the output.
        const text = parts.join('').replaceAll(/\n(c0ffee)+/g, '\n')
        const bytes = Buffer.from(`${text}\n${marker} 0\n`)
        const came: Buffer[] = []
        const collector = collectOutput({ marker, cap: 0, lines: 0, onOutput: (piece) => came.push(piece) })
        const places = [...new Set(cuts.map((cut) => cut % bytes.length))].sort((a, b) => a - b)
        const answers = [0, ...places].map((start, index) =>
          collector.push(bytes.subarray(start, places[index] ?? bytes.length)),
        )
        expect(Buffer.concat(came).toString()).toBe(text)
        expect(answers.at(-1)).toMatchObject({ length: text.length, isCut: false, rest: '0' })
      }),
    )
    const came: string[] = []
    const collector = collectOutput({
      marker,
      cap: 0,
      lines: 0,
      onOutput: (piece) => came.push(piece.toString()),
    })
    for (const piece of ['one\ntwo\n\n', 'c0f', 'fe']) collector.push(Buffer.from(piece))
    expect(came).toEqual(['one\ntwo\n'])
    collector.push(Buffer.from('f '))
    expect(came.join('')).toBe('one\ntwo\n\nc0ffef ')
  })

  it('keeps no more than the cap and still knows the length and the end', () => {
    const answer = fed(Buffer.from(`0123456789\n${marker} 0\n`), [3, 7, 12], 4)
    expect(answer).toEqual({
      output: Buffer.from('0123'),
      length: 10,
      isCut: true,
      rest: '0',
      behind: Buffer.alloc(0),
    })
  })

  it('ignores the marker in the middle of a line', () => {
    const answer = fed(Buffer.from(`x ${marker} 1\n\n${marker} 2\n`), [])
    expect(answer?.output.toString()).toBe(`x ${marker} 1\n`)
  })

  it('returns the bytes of the next response', () => {
    expect(fed(Buffer.from(`one\n${marker} 0\ntwo\n`), [])?.behind.toString()).toBe('two\n')
  })

  it('returns the output so far without a marker', () => {
    const collector = collectOutput({ marker, cap: 100, lines: 100 })
    expect(collector.push(Buffer.from('sorry, no'))).toBeUndefined()
    expect(collector.soFar().toString()).toBe('sorry, no')
  })

  it('keeps no more lines than it may, and still knows the length and the end', () => {
    const collector = collectOutput({ marker, cap: 1_000_000, lines: 3 })
    const answer = collector.push(Buffer.from(`1\n2\n3\n4\n5\n${marker} 0\n`))
    expect(answer).toMatchObject({ length: 9, isCut: true, rest: '0' })
    expect(answer?.output.toString()).toBe('1\n2\n3\n')
    const whole = collectOutput({ marker, cap: 1_000_000, lines: 3 })
    expect(whole.push(Buffer.from(`1\n2\n3\n${marker} 0\n`))).toMatchObject({ isCut: false, length: 5 })
  })

  it('treats an endless line that begins with the marker as output', () => {
    const collector = collectOutput({ marker, cap: 1000, lines: 10 })
    expect(collector.push(Buffer.from(`\n${marker} `))).toBeUndefined()
    for (let count = 0; count < 1000; count += 1)
      expect(collector.push(Buffer.alloc(10_000, 'x'))).toBeUndefined()
    expect(collector.length).toBeGreaterThan(9_900_000)
    expect(collector.soFar().length).toBeLessThan(1100)
    expect(collector.push(Buffer.from(`\n${marker} 5\n`))).toMatchObject({ rest: '5', isCut: true })
  })

  it('copies kept bytes and holds no chunk', () => {
    const collector = collectOutput({ marker, cap: 1_000_000, lines: 10 })
    const before = heapInUse()
    for (let count = 0; count < 100_000; count += 1)
      collector.push(Buffer.from(Buffer.alloc(4096, 'x').buffer, 0, 1))
    expect(collector.length).toBeGreaterThan(99_000)
    expect(heapInUse() - before).toBeLessThan(4 * 1024 * 1024)
  })
})
