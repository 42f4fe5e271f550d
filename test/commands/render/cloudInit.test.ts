import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { renderFolder } from './renderFolder.ts'

const text = `cluster: alpha
defaults: { rest-api-admin-user: admin, rest-api-admin-pass: !env ADMIN_PASS }
services:
  alpha: { topology: clustered, master: db1, members: [db1, keys], witnesses: [w1] }
hosts:
  db1: { address: 10.0.0.11 }
  keys: { address: 10.0.0.12 }
  w1: { address: 10.0.0.13 }
`

describe('muster render cloud-init', () => {
  const { path, render } = renderFolder({
    engine: 'cloud-init',
    text: text,
    password: 'Zq7-sentinel-Xw9-long',
  })

  it('writes a seed with the address, the checksum and the size of the archive', async () => {
    const url = ['--bundle-url', 'https://images.example.com/alpha/']
    const done = await render('--out', 'out', '--host', 'db1', ...url)
    expect(done, done.stderr).toMatchObject({ code: 0 })
    const data = readFileSync(path('out/db1/user-data'), 'utf8')
    const { length } = readFileSync(path('out/db1/db1.tar.gz'))
    expect(data).toContain(` https://images.example.com/alpha/db1.tar.gz "$archive" ${length}; do`)
    const sums = readFileSync(path('out/keys/SHA256SUMS'), 'utf8')
    const [, digest] = /^(.{64}) {2}db1\/db1\/SHA256SUMS$/m.exec(sums) ?? []
    expect(data).toContain(`/db1/apply --sums ${digest} --identity `)
  })

  it('refuses a host whose seed would lie among the keys of all hosts', async () => {
    const refused = await render('--out', 'none')
    expect(refused.stderr).toContain('none/keys/user-data would lie in the folder of the keys of all hosts')
    expect(refused.code).toBe(3)
    expect(existsSync(path('none'))).toBe(false)
  })

  it('refuses an address with a password, a query, a control character, or of another protocol', async () => {
    const cases = [
      ['https://ops:secret@images.example.com', 'has a user or a password'],
      ['https://images.example.com/a?sig=1', 'has a query or a fragment'],
      ['https://images.example.com/\u0007', 'is no web address'],
      ['file:///etc', 'is no web address'],
      ['http://', 'is no web address'],
    ] as const
    for (const [url, said] of cases) {
      const refused = await render('--out', 'none', '--host', 'db1', '--bundle-url', url)
      expect(refused.stderr).toContain(said)
      expect(refused.code).toBe(3)
      expect(refused.stderr).not.toContain('secret')
    }
  })
})
