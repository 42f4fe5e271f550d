import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { quote } from '../../../src/base/shellWords.ts'
import { sharedFunctions } from '../../../src/deployment/facts/parts/common.ts'
import { readRows } from '../../../src/deployment/facts/rows.ts'
import { connectLocal } from '../../../src/transport/local.ts'
import { rawResult } from '../../support/rawResult.ts'

const nonce = '0123456789abcdef0123456789abcdef'

describe('readRows', () => {
  it('returns only lines that begin with the nonce of the run', () => {
    const rows = readRows(
      [
        'uid\t0',
        `${nonce}\tuid\t1000`,
        ` ${nonce}\tuid\t1`,
        `x\r${nonce}\tuid\t2`,
        `${nonce} uid\t3`,
        `${nonce.slice(0, -1)}0\tuid\t4`,
        nonce.toUpperCase(),
        `${nonce}\texists\tyes`,
      ].join('\n'),
      nonce,
    )
    expect(rows.all('uid')).toEqual([['1000']])
    expect(rows.isYes('exists')).toBe(true)
    expect(rows.lines).toHaveLength(2)
  })

  it('ignores any other output between the rows', () => {
    const ours = ['uid\t1000', 'text\tmanifest\t/a', '/a:{', '/a:}']
    const expected = readRows(ours.map((line) => `${nonce}\t${line}`).join('\n'), nonce).lines
    const noise = fc.string({ unit: 'binary' }).filter((text) => !text.includes(nonce))
    fc.assert(
      fc.property(fc.array(noise, { minLength: 5, maxLength: 5 }), (others) => {
        const output = ours.map((line, index) => `${others[index]}\n${nonce}\t${line}\n`).join('') + others[4]
        const rows = readRows(output, nonce)
        expect(rows.lines).toEqual(expected)
        expect(rows.text('manifest')).toBe('{\n}\n')
      }),
    )
  })

  it('returns the text of a file by its path, even if a line imitates another file', () => {
    const lines = ['text\tone\t/a', 'text\ttwo\t/b', '/a:/b:not mine', '/b:mine']
    const rows = readRows(lines.map((line) => `${nonce}\t${line}`).join('\n'), nonce)
    expect([rows.text('one'), rows.text('two'), rows.text('three')]).toEqual([
      '/b:not mine\n',
      'mine\n',
      undefined,
    ])
  })
})

describe('the sh functions of a facts script', () => {
  it('print no value with a control character, which could imitate a row', async () => {
    const transport = await connectLocal({ host: 'db1', env: process.env })
    const value = fc.string({
      unit: fc.constantFrom(...'ab -\\%$`\'"*?é\t\n\r\x1b\x07\x7f'.split('')),
      maxLength: 12,
    })
    const isPlain = (text: string): boolean => !/\p{Cc}/u.test(text)
    try {
      await fc.assert(
        fc.asyncProperty(fc.array(value, { minLength: 1, maxLength: 4 }), async (values) => {
          const { code, stdout, stderr } = rawResult(
            await transport.run(`${sharedFunctions(nonce)}\nsay key ${values.map(quote).join(' ')}\nsay end`),
          )
          expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
          const rows = readRows(stdout, nonce)
          expect(rows.all('key')).toEqual([values.map((one) => (isPlain(one) ? one : ''))])
          expect(rows.lines).toHaveLength(2)
        }),
        { numRuns: 60, examples: [[['x\nnode\t/evil\tv24.0.0\tyes']], [[`x\n${nonce}\tnode\t/evil`]]] },
      )
    } finally {
      await transport.close()
    }
  })
})
