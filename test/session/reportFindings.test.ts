import { expect, it } from 'vitest'
import { placesOfUsers } from '../../src/session/reportFindings.ts'
import { loadText } from '../config/loadText.ts'

it('placesOfUsers returns the place of a password, else of its user, else of the host', () => {
  const loaded = loadText(`cluster: alpha
defaults:
  rest-api-admin-user: admin
  rest-api-admin-pass: !env ADMIN_PASS
  rest-api-users:
    ops: !file ops.pass
    nightly:
services:
  alpha: { topology: clustered, master: db1, members: [db1, db2, db3] }
hosts:
  db1: { address: 10.0.0.11 }
  db2: { address: 10.0.0.12, options: { rest-api-admin-pass: !env DB2_PASS } }
  db3: { address: 10.0.0.13, options: { rest-api-admin-user: bob } }
`)
  const places = placesOfUsers({ ...loaded, combined: false, missing: false })
  const at = (host: string, user?: string): string => {
    const { line, column } = places(host, user)
    return `${line}:${column}`
  }
  expect(at('db1')).toBe('11:3')
  expect(at('db1', 'admin')).toBe('4:29')
  expect(at('db2', 'admin')).toBe('12:67')
  expect(at('db1', 'ops')).toBe('6:16')
  expect(at('db2', 'nightly')).toBe('7:5')
  expect(at('db3', 'admin')).toBe('13:3')
  expect(at('db3', 'bob')).toBe('4:29')
  expect(at('db3', 'mallory')).toBe('13:3')
})
