import { describe, expect, it } from 'vitest'
import { codes, good, loadText, shown } from './loadText.ts'

const withUsers = (defaults: string, host = '{ address: 10.0.0.11 }'): string =>
  good
    .replace('  rest-api-admin-user: admin\n', defaults)
    .replace('db1: { address: 10.0.0.11 }', `db1: ${host}`)
const admin = '  rest-api-admin-user: admin\n  rest-api-admin-pass: !env ADMIN_PASS\n'
const usersOf = (text: string) =>
  loadText(text).config?.hosts[0]?.users.map(({ user, option, password }) => [
    user,
    option,
    password?.kind === 'env' ? password.name : password,
  ])

describe('rest-api-users', () => {
  it('adds users after the administrator', () => {
    expect(usersOf(withUsers(`  rest-api-users: { ops: !env OPS_PASS, nightly: }\n${admin}`))).toEqual([
      ['admin', 'rest-api-admin-pass', 'ADMIN_PASS'],
      ['ops', 'rest-api-users.ops', 'OPS_PASS'],
      ['nightly', 'rest-api-users.nightly', undefined],
    ])
    expect(usersOf(withUsers('  rest-api-users: { ops: }\n'))).toEqual([
      ['ops', 'rest-api-users.ops', undefined],
    ])
    expect(usersOf(withUsers('  log-level: info\n'))).toEqual([])
  })

  it('may have an access level, in a block or on one line, and is full without one', () => {
    const members = [
      '{ grafana: { access: read, password: !env OPS_PASS }, ops: !env OPS_PASS, nightly: , oncall: { access: operate } }',
      `
    grafana:
      password: !env OPS_PASS
      access: read
    ops: !env OPS_PASS
    nightly:
    oncall:
      access: "operate"`,
    ]
    for (const users of members) {
      const { config, diagnostics } = loadText(withUsers(`${admin}  rest-api-users: ${users}\n`))
      expect(diagnostics).toEqual([])
      expect(
        config?.hosts[0]?.users.map(({ user, access, password }) => [user, access, password?.kind]),
      ).toEqual([
        ['admin', 'full', 'env'],
        ['grafana', 'read', 'env'],
        ['ops', 'full', 'env'],
        ['nightly', 'full', undefined],
        ['oncall', 'operate', undefined],
      ])
    }
  })

  it('shows its level and a suggestion for a misspelt one, and never a password', () => {
    const text = withUsers(`  rest-api-users:
    grafana:
      access: raed
      password: hunter2-hunter2
    line: { access: oprate, password: hunter2-hunter2 }
    odd: { acces: read }
`)
    const result = loadText(text)
    expect(codes(result)).toEqual(['5 wrong-type', '7 wrong-type', '8 unknown-key'])
    const told = shown(result)
    expect(told).toContain('access: raed')
    expect(told).toContain('Did you mean read?')
    expect(told).toContain('Did you mean operate?')
    expect(told).not.toContain('hunter2')
  })

  it('is the administrator only with the level full', () => {
    const named = (value: string) => withUsers(`${admin}  rest-api-users: { admin: ${value} }\n`)
    expect(codes(loadText(named('{ access: full }')))).toEqual([])
    expect(codes(loadText(named('{ access: read }')))).toEqual(['5 administrator-twice'])
    expect(shown(loadText(named('{ access: read }')))).toContain('who has the access level full')
  })

  it('is a warning if its name differs from that of another by case or accents only', () => {
    const users = '  rest-api-users:\n    chief:\n    CHIEF:\n    ch\u00edef:\n    chiefs:\n    ADMIN:\n'
    const result = loadText(withUsers(`${admin}${users}`))
    const similar = result.diagnostics.filter(({ code }) => code === 'similar-user-names')
    expect(similar.map(({ span, related }) => [span.line, related?.[0]?.span.line])).toEqual([
      [7, 6],
      [8, 6],
      [10, 3],
    ])
    expect(similar.map(({ severity }) => severity)).toEqual(['warning', 'warning', 'warning'])
    expect(shown(result)).toContain('rest-api-users.CHIEF differs from another user by case or accents only.')
  })

  it('of a host replaces those of defaults', () => {
    const host = '{ address: 10.0.0.11, options: { rest-api-users: { only: } } }'
    const text = withUsers(`${admin}  rest-api-users: { ops: !env OPS_PASS }\n`, host)
    expect(usersOf(text)?.map(([user]) => user)).toEqual(['admin', 'only'])
  })

  it('may contain the administrator with the same password or none', () => {
    const named = (value: string) => withUsers(`${admin}  rest-api-users: { admin: ${value}, ops: }\n`)
    for (const value of ['!env ADMIN_PASS', '']) {
      expect(usersOf(named(value))?.map(([user]) => user)).toEqual(['admin', 'ops'])
    }
    const given = withUsers('  rest-api-admin-user: admin\n  rest-api-users: { admin: !env OTHER }\n')
    expect(codes(loadText(given))).toEqual(['4 administrator-twice'])
    expect(codes(loadText(named('!env OTHER')))).toEqual(['5 administrator-twice'])
  })

  it('counts as users of an API that is open to the network', () => {
    const open = '  manager-rest-api-address: 0.0.0.0\n'
    expect(codes(loadText(withUsers(`${open}  rest-api-users: {}\n`)))).toEqual(['3 open-without-admin'])
    expect(codes(loadText(withUsers(`${open}  rest-api-users: { ops: }\n`)))).toEqual([])
  })

  it('reads the secret of a user relative to the file', () => {
    const text = withUsers('  rest-api-users:\n    ops: !file secrets/ops\n')
    expect(loadText(text).config?.hosts[0]?.users[0]?.password).toEqual({
      kind: 'file',
      path: '/etc/muster/secrets/ops',
      written: 'secrets/ops',
      at: { option: 'rest-api-users.ops', place: 'muster.yaml:4:16', directory: '/etc/muster' },
    })
  })

  it('cannot be set with --set, which never shows the rejected value', () => {
    for (const set of ['rest-api-users=Zq7', 'rest-api-users=-', 'rest-api-users=@Zq7']) {
      const result = loadText(good, { set: [set], stdin: 'Zq7' })
      expect(codes(result)).toEqual(['1 wrong-type'])
      expect(shown(result)).not.toContain('Zq7')
    }
  })
})
