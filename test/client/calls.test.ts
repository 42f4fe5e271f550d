import { describe, expect, it } from 'vitest'
import { listedUsers } from '../../src/client/calls.ts'
import { envelope } from '../../src/contracts/envelope.ts'

describe('listedUsers', () => {
  it('reads names and levels in order, whatever else the users contain', () => {
    const users = [
      { user: 'zoe', pass: '**obfuscated**', access: 'full' },
      { user: 'admin', access: 'read' },
    ]
    expect(listedUsers(envelope('users', users))).toEqual([
      { user: 'zoe', access: 'full' },
      { user: 'admin', access: 'read' },
    ])
    expect(listedUsers(envelope('users', []))).toEqual([])
  })

  it.each([
    ['no envelope', [{ user: 'admin' }]],
    ['no list', envelope('users', { user: 'admin' })],
    [
      'a user without a name',
      envelope('users', [
        { user: 'admin', access: 'full' },
        { name: 'ops', access: 'full' },
      ]),
    ],
    [
      'a name that is none',
      envelope('users', [
        { user: 'admin', access: 'full' },
        { user: 7, access: 'full' },
      ]),
    ],
    ['a level that is none', envelope('users', [{ user: 'admin', access: 'root' }])],
    ['a list of something else', envelope('users', ['admin'])],
    ['nothing', undefined],
  ])('returns nothing for %s', (_what, body) => {
    expect(listedUsers(body)).toBeUndefined()
  })
})
