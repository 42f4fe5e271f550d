import { isIP } from 'node:net'
import { describe, expect, it } from 'vitest'
import { addressBytes, addressText, isUnspecified } from '../../src/certificates/address.ts'

const texts = [
  ...['10.0.0.11', '0.0.0.0', '255.255.255.255', '256.1.1.1', '1.2.3', '1.2.3.4.5', '01.2.3.4', '1.2.3.4 '],
  ...['::', '::1', '1::', 'fd00::1', '1:2:3:4:5:6:7:8', '::ffff:1.2.3.4', '1::2::3', '1:2:3:4:5:6:7', ':::'],
  ...['12345::', 'g::1', ':1', '1:', '1:2:3:4:5:6:7:8:9', '1.2.3.4::', 'fe80::1%eth0', 'db1', ''],
]

describe('an address', () => {
  it.each(texts)('%j is one exactly when Node.js says so', (text) => {
    expect(addressBytes(text)?.length).toBe({ 4: 4, 6: 16, 0: undefined }[isIP(text) as 0 | 4 | 6])
  })

  it('is the same bytes however it is written', () => {
    expect(addressBytes('::ffff:1.2.3.4')?.toString('hex')).toBe('00000000000000000000ffff01020304')
    expect(addressBytes('FD00::1')).toEqual(addressBytes('fd00:0:0:0:0:0:0:1'))
    expect(addressText(addressBytes('fd00::1') ?? Buffer.alloc(0))).toBe('fd00:0:0:0:0:0:0:1')
    expect(addressText(Buffer.from([10, 0, 0, 11]))).toBe('10.0.0.11')
  })

  it('knows those that only listen', () => {
    expect(isUnspecified(Buffer.alloc(4))).toBe(true)
    expect(isUnspecified(Buffer.from([127, 0, 0, 1]))).toBe(false)
  })
})
