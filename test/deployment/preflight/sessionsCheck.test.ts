import { describe, expect, it } from 'vitest'
import type { UnboundAccount } from '../../../src/deployment/unboundSessions.ts'
import { reasons, subject } from './values.ts'

const found = (unboundSessions: readonly UnboundAccount[] | string, type: 'mariadb' | 'mysql' = 'mariadb') =>
  reasons('sessions', [
    subject({
      host: {
        database: {
          ...{ type, host: '127.0.0.1', port: 3306, service: 'alpha' },
          account: { user: 'muster', password: { kind: 'env', name: 'X' } as never },
        },
      },
      observed: { unboundSessions },
    }),
  ])

describe('the check of sessions that read_only does not bind', () => {
  it('names each account with its host and what it runs, but none of muster', () => {
    const insert = 'INSERT INTO t.x VALUES from localhost'
    expect(
      found([
        { account: "'root'@'localhost'", sessions: [insert, insert, 'idle from localhost'] },
        { account: "'muster'@'10.0.0.11'", sessions: ['idle from 10.0.0.11'] },
        { account: "'backup'@'%'", sessions: ['idle from 10.0.0.9'] },
      ]),
    ).toEqual([
      `warning: read_only does not bind 'root'@'localhost': 3 sessions, ${insert} and idle from localhost`,
      "warning: read_only does not bind 'backup'@'%': 1 session, idle from 10.0.0.9",
    ])
  })

  it('is content where there is none, and on MySQL', () => {
    expect(found([{ account: "'muster'@'%'", sessions: ['idle from localhost'] }])).toEqual([
      'ok: read_only binds everybody who is logged in at its database',
    ])
    expect(found('', 'mysql')).toEqual(['ok: super_read_only binds every account of MySQL'])
  })

  it('says why it looked for none', () => {
    expect(found('the database did not answer')).toEqual([
      'ok: sessions that read_only does not bind were not looked for: the database did not answer',
    ])
  })
})
