import { Value } from 'typebox/value'
import { describe, expect, it } from 'vitest'
import {
  type CredentialsRequest,
  credentialsOf,
  CredentialsRequest as schema,
} from '../../src/contracts/commonPayloads.ts'

const pair = { user: 'admin', pass: 'secret' }

describe('a credentials body', () => {
  it.each<CredentialsRequest>([
    { payloadType: 'credentials', ...pair },
    { payloadType: 'CredentialsPayload', ...pair },
    { payloadType: 'credentials', payload: pair },
    { payloadType: 'CredentialsPayload', payloadVersion: '1', payload: pair },
  ])('is accepted as %j', (body) => {
    expect(Value.Check(schema, body)).toBe(true)
    expect(credentialsOf(body)).toEqual(pair)
  })

  it.each([
    { payloadType: 'Credentials', ...pair },
    { payloadType: 'credentials', payloadVersion: '2', ...pair },
    { payloadType: 'credentials', payloadVersion: 1, ...pair },
    { payloadType: 'credentials', ...pair, access: 'admin' },
    { payloadType: 'credentials', payload: { ...pair, access: null } },
    { payloadType: 'credentials', user: 1, pass: 'x' },
    { ...pair },
    [],
  ])('is rejected as %j', (body) => {
    expect(Value.Check(schema, body)).toBe(false)
  })

  it.each(['read', 'operate', 'full'] as const)('may have the access level %s in both places', (access) => {
    const told = { ...pair, access }
    for (const body of [
      { payloadType: 'credentials', ...told },
      { payloadType: 'credentials', payload: told },
    ] satisfies CredentialsRequest[]) {
      expect(Value.Check(schema, body)).toBe(true)
      expect(credentialsOf(body)).toEqual(told)
    }
  })

  it('is rejected with user or pass both beside and inside the payload', () => {
    const message = 'must not be combined with user, pass and access beside it'
    const errors = { errors: [{ path: '/payload', message }] }
    expect(credentialsOf({ payloadType: 'credentials', ...pair, payload: pair })).toEqual(errors)
    expect(credentialsOf({ payloadType: 'credentials', user: 'a', payload: { pass: 'b' } })).toEqual(errors)
    expect(credentialsOf({ payloadType: 'credentials', ...pair, payload: {} })).toEqual(errors)
    expect(credentialsOf({ payloadType: 'credentials', access: 'read', payload: pair })).toEqual(errors)
  })

  it('reports missing members at their path', () => {
    expect(credentialsOf({ payloadType: 'credentials' })).toEqual({
      errors: [
        { path: '/user', message: 'is missing' },
        { path: '/pass', message: 'is missing' },
      ],
    })
    expect(credentialsOf({ payloadType: 'credentials', payload: { user: 'a' } })).toEqual({
      errors: [{ path: '/payload/pass', message: 'is missing' }],
    })
  })
})
