import { describe, expect, it } from 'vitest'
import { reasons, subject } from './values.ts'

describe('the database check', () => {
  const found = (host: string, listeners: readonly { address: string; port: number }[]) =>
    reasons('database', [
      subject({
        host: { database: { type: 'mariadb', host, port: 3306, service: 'alpha' } },
        facts: { listeners },
      }),
    ])

  it.each([
    ['127.0.0.1', '127.0.0.1'],
    ['localhost', '0.0.0.0'],
    ['10.0.0.11', '::'],
  ])('finds a listener at %s without a connection', (host, address) => {
    expect(found(host, [{ address, port: 3306 }])).toEqual([`ok: something listens at ${host} port 3306`])
    expect(found(host, [{ address, port: 3307 }])).toEqual([
      `warning: nothing listens at ${host} port 3306, the address of its database in the file`,
    ])
  })

  it('skips a database on another host', () => {
    expect(found('10.0.0.77', [])).toEqual(['ok: not checked: 10.0.0.77 port 3306 is not on this host'])
  })

  it('warns if the port is open only at another address', () => {
    expect(found('10.0.0.11', [{ address: '127.0.0.1', port: 3306 }])[0]).toMatch(/^warning/)
  })
})
