import { describe, expect, it } from 'vitest'
import { fakeTransport } from '../support/fakeTransport.ts'
import { rawResult } from '../support/rawResult.ts'

describe('the fake transport', () => {
  it('returns the expected results and records uploads', async () => {
    const fake = fakeTransport({
      expect: [
        { script: 'id -u', result: { stdout: '0\n' }, times: 1 },
        { script: /^id/, result: { code: 1 } },
        { script: 'never', times: 1 },
      ],
    })
    expect(rawResult(await fake.run('id -u'))).toEqual({ code: 0, stdout: '0\n', stderr: '' })
    expect((await fake.run('id -u')).code).toBe(1)
    await fake.upload({ path: '/f', content: Buffer.from('x'), mode: 0o600 })
    expect(fake.uploads.map(({ path }) => path)).toEqual(['/f'])
    expect(fake.unmet().map(({ script }) => script)).toEqual(['never'])
  })

  it('fails for an unexpected script', async () => {
    await expect(fakeTransport({}).run('rm -rf /')).rejects.toThrow('was not told to expect this script')
  })

  it('fails after it was closed', async () => {
    const fake = fakeTransport({ expect: [{ script: 'true' }] })
    await fake.close()
    await expect(fake.run('true')).rejects.toThrow('db1: run after close')
  })
})
