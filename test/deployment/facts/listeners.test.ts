import { describe, expect, it } from 'vitest'
import { parseListeners } from '../../../src/deployment/facts/listeners.ts'

describe('parseListeners', () => {
  it('reads addresses of both families and passes over what does not listen', () => {
    const text = `
   0: 0100007F:1F9A 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1
   1: 00000000:0016 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1
   2: 0100007F:1F9A 0100007F:D431 01 00000000:00000000 00:00000000 00000000     0        0 1
   0: 00000000000000000000000000000000:1FA0 00000000000000000000000000000000:0000 0A 0
   1: 00000000000000000000000001000000:1FA1 00000000000000000000000000000000:0000 0A 0
   2: 0000000000000000FFFF00000100007F:1FA2 00000000000000000000000000000000:0000 0A 0
   3: B80D0120000000000000000001000000:1FA3 00000000000000000000000000000000:0000 0A 0
   4: 0000:1FA4 0000:0000 0A 0
`
    expect(parseListeners(text)).toEqual([
      { address: '127.0.0.1', port: 8090 },
      { address: '0.0.0.0', port: 22 },
      { address: '::', port: 8096 },
      { address: '::1', port: 8097 },
      { address: '127.0.0.1', port: 8098 },
      { address: '2001:db8::1', port: 8099 },
    ])
  })
})
