import { describe, expect, it } from 'vitest'
import * as refusals from '../../../src/components/connector/refusal.ts'
import { errorPacket } from '../../../src/components/connector/refusal.ts'
import { refusalIn } from '../../support/databaseClient.ts'

describe('errorPacket', () => {
  it('is byte for byte what MariaDB 10.11 sends instead of its greeting', () => {
    const seen = '17000000ff1004546f6f206d616e7920636f6e6e656374696f6e73'
    expect(errorPacket(1040, 'Too many connections').toString('hex')).toBe(seen)
  })

  it('has no message that a client cannot show whole', () => {
    const date = new Date().toISOString()
    const names = Array.from({ length: 40 }, (_, index) => `database-${index} did not answer within 3 s`)
    for (const { number, message } of [
      refusals.offline(date),
      refusals.stopping,
      refusals.tooManyHeld(1000),
      refusals.heldTooLong(8000),
      refusals.noDataSource('no primary of service alpha is ONLINE: db1 is SHUNNED'),
      refusals.tooManyPending(1000),
      refusals.pendingTooLong(8000),
      refusals.brokenLogin('did not go on'),
      refusals.noProxyHeader('2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', refusals.headerTooLate(5000)),
      refusals.unreachable('alpha', names, false),
      refusals.unreachable('alpha', [`db1 ${refusals.blocksThisHost}`], true),
    ]) {
      const packet = refusalIn(errorPacket(number, message))
      expect(packet.number).toBe(number)
      expect(message.startsWith(packet.message)).toBe(true)
      expect(Buffer.byteLength(packet.message)).toBeLessThanOrEqual(500)
    }
  })
})
