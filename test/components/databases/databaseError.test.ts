import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { toDatabaseError } from '../../../src/components/databases/databaseError.ts'
import { Secret } from '../../../src/secrets/secret.ts'

const account = {
  host: 'fd00::11',
  port: 3306,
  user: 'muster',
  password: new Secret('hidden'),
  purpose: 'monitor',
} as const

const server = (errno: number, sqlMessage: string) =>
  Object.assign(new Error(sqlMessage), { errno, sqlMessage })
const library = (code: string) => Object.assign(new Error('words with hidden in them'), { code, errno: -1 })

describe('toDatabaseError', () => {
  it.each([
    [1045, 'Access denied', 'refused', ' Check monitor-user and monitor-password.'],
    [
      1227,
      'Access denied; you need RELOAD',
      'refused',
      " Grant what is missing to the user 'muster' on this server.",
    ],
    [
      1129,
      "Host '10.0.0.5' is blocked",
      'refused',
      ' It works, but blocks this host after too many broken logins: run FLUSH HOSTS there, and raise max_connect_errors.',
    ],
    [1040, 'Too many connections', 'refused', ''],
    [1198, 'This operation cannot be performed as you have a running slave', 'running', ''],
    [1200, 'Misconfigured slave', 'not-configured', ''],
    [1617, "There is no master connection 'x'", 'no-channel', ''],
    [3074, "Replica channel 'x' does not exist.", 'no-channel', ''],
    [3081, 'This operation cannot be performed with running replication threads', 'running', ''],
  ])('tells ERROR %i of the server', (number, words, code, fix) => {
    const error = toDatabaseError(server(number, words), account)
    const sentence = words.endsWith('.') ? words : `${words}.`
    expect([error.code, error.number, error.message]).toEqual([
      code,
      number,
      `The database [fd00::11]:3306 ${number === 1045 ? "rejected login 'muster':" : 'reported'} ERROR ${number}: ${sentence}${fix}`,
    ])
  })

  it.each([
    ['ECONNREFUSED', 'unreachable', /nothing listens there\. Start the database\.$/],
    ['ENOTFOUND', 'unreachable', /its name is unknown on this host\.$/],
    ['EHOSTUNREACH', 'unreachable', /no route to this address\.$/],
    ['ETIMEDOUT', 'timeout', /did not answer in time\.$/],
    ['ECONNRESET', 'unreachable', /broke the connection off\.$/],
    ['PROTOCOL_CONNECTION_LOST', 'unreachable', /broke the connection off\.$/],
    ['MYSQL_CLEAR_PASSWORD_NOT_ENABLED', 'refused', /in clear text, which is never sent\.$/],
    ['AUTH_SWITCH_PLUGIN_ERROR', 'refused', /Use caching_sha2_password or mysql_native_password\.$/],
    ['SOMETHING', 'unreachable', /cannot be used \(SOMETHING\)\.$/],
  ])('tells %s by its code, never in the words of the library', (name, code, message) => {
    const error = toDatabaseError(library(name), account)
    expect(error.code).toBe(code)
    expect(error.message).toMatch(message)
    expect(error.message).not.toContain('hidden')
  })

  it('has words for what is no error at all', () => {
    expect(toDatabaseError(undefined, account).message).toBe(
      'The database [fd00::11]:3306 cannot be used (no reason given).',
    )
  })

  it('never shows the password', () => {
    const error = toDatabaseError(server(1045, 'Access denied'), account)
    expect(`${inspect(error, { depth: 9 })}${JSON.stringify(error)}`).not.toContain('hidden')
  })
})
