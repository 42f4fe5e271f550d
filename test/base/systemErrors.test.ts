import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { getSystemErrorMap } from 'node:util'
import { describe, expect, it } from 'vitest'
import { errorCode, systemErrorText, systemReason } from '../../src/base/systemErrors.ts'

const thrown = (work: () => unknown): unknown => {
  try {
    return work()
  } catch (error) {
    return error
  }
}

describe('systemReason', () => {
  it('explains errors that the system throws', async () => {
    expect(systemErrorText(thrown(() => readFileSync('/no/such/file')))).toBe('no such file or folder')
    expect(systemErrorText(thrown(() => readFileSync('/')))).toBe('it is a folder')
    const refused = await new Promise((resolve) =>
      connect({ host: '127.0.0.1', port: 1 }).once('error', resolve),
    )
    expect(systemErrorText(refused)).toBe('the connection was refused: nothing listens there')
  })

  it('explains only codes of the system, without a code in the text', () => {
    const codes = [...getSystemErrorMap().values()].map(([code]) => code)
    const told = [...codes, 'ENOTFOUND'].filter((code) => systemReason(code) !== undefined)
    expect(told).toEqual(
      expect.arrayContaining(['EPIPE', 'EHOSTUNREACH', 'ENOENT', 'ENETUNREACH', 'ECONNRESET']),
    )
    expect(told.length).toBeGreaterThan(30)
    for (const code of told) expect(systemReason(code)).toMatch(/^[a-z][a-z :-]+$/)
  })

  it('is replaced by the code without a text, and by the message without a code', () => {
    expect(systemErrorText(Object.assign(new Error('x'), { code: 'EFOO' }))).toBe('EFOO')
    expect(systemErrorText(new Error('it broke'))).toBe('it broke')
    expect(systemReason('constructor')).toBeUndefined()
  })
})

describe('errorCode', () => {
  it('returns the code of a system error and undefined for others', () => {
    expect(errorCode(thrown(() => readFileSync('/no/such/file')))).toBe('ENOENT')
    expect(
      [new Error('x'), Object.assign(new Error('x'), { code: 7 }), { code: 'ENOENT' }].map(errorCode),
    ).toEqual([undefined, undefined, undefined])
  })
})
