import { describe, expect, it } from 'vitest'
import { startDashboard } from '../support/testDashboard.ts'

describe('the files of the dashboard', () => {
  it('are compressed as the browser likes, each form with a tag of its own', async () => {
    const { send } = await startDashboard()
    const forms = [
      ['gzip, deflate, br, zstd', 'br', '"abc123-br"'],
      ['gzip', 'gzip', '"abc123-gz"'],
      ['br;q=0, gzip;q=0.5', 'gzip', '"abc123-gz"'],
      ['identity', undefined, '"abc123"'],
      [undefined, undefined, '"abc123"'],
    ] as const
    for (const [accepted, coding, etag] of forms) {
      const { headers, status } = await send('/dashboard/app.js', {
        headers: accepted === undefined ? {} : { 'Accept-Encoding': accepted },
      })
      expect([status, headers['content-encoding'], headers.etag]).toEqual([200, coding, etag])
      expect(headers).toMatchObject({
        'cache-control': 'no-cache',
        'content-type': 'text/javascript; charset=utf-8',
        vary: 'Accept-Encoding',
      })
    }
    expect((await send('/dashboard/app.js')).text).toBe('export const page = 1\n')
  })

  it('are not sent again to who has them', async () => {
    const { send } = await startDashboard()
    const headers = { 'If-None-Match': '"abc123"' }
    expect(await send('/dashboard/', { headers })).toMatchObject({ status: 304, text: '' })
    expect(await send('/dashboard/', { headers: { 'If-None-Match': '"old"' } })).toMatchObject({
      status: 200,
    })
  })
})
