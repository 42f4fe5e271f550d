import { describe, expect, it } from 'vitest'
import { peerNetwork } from '../../src/api/peer.ts'

describe('whose address a peer has', () => {
  it.each([
    ['10.0.0.9', '10.0.0.9'],
    ['::ffff:10.0.0.9', '10.0.0.9'],
    ['::FFFF:10.0.0.9', '10.0.0.9'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002:ffff::', '2001:db8:1:2::/64'],
    ['2001:db8::1:0:0:9', '2001:db8:0:0::/64'],
    ['2001:db8:1:0:9::', '2001:db8:1:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['gone', 'gone'],
  ])('%s counts as %s', (address, network) => {
    expect(peerNetwork(address)).toBe(network)
  })
})
