import { describe, expect, it } from 'vitest'
import { ownersAndModes } from '../../src/transport/ownersAndModes.ts'

describe('ownersAndModes', () => {
  it('uses one command per owner and mode, owners first', () => {
    const paths = [
      { path: '/opt/a', mode: 0o755, owner: 'root:root' },
      { path: "/opt/b's", mode: 0o700, owner: 'muster:muster' },
      { path: '/opt/c', mode: 0o755, owner: 'root:root' },
      { path: '/opt/d', mode: 0o700 },
      { path: '/opt/e', mode: 0o1777, owner: 'muster:muster' },
    ]
    expect(ownersAndModes(paths)).toEqual([
      `chown root:root /opt/a /opt/c`,
      `chown muster:muster '/opt/b'\\''s' /opt/e`,
      `chmod 0755 /opt/a /opt/c`,
      `chmod 0700 '/opt/b'\\''s' /opt/d`,
      `chmod 1777 /opt/e`,
    ])
  })

  it('returns nothing for no paths', () => {
    expect(ownersAndModes([])).toEqual([])
  })
})
