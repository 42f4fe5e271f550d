import { describe, expect, it } from 'vitest'
import { apiPath, isPublicPath, withGuard } from '../src/client/apiPath.ts'
import { isUnreachable } from '../src/client/clientError.ts'
import { describeEndpoint } from '../src/client/endpoint.ts'
import { readEnvelope, readProblem } from '../src/client/envelope.ts'
import { explainFailure } from '../src/client/explainFailure.ts'
import { envelope } from '../src/contracts/envelope.ts'

describe('the path of an API call', () => {
  it.each([
    ['ping', '/api/v2/ping'],
    ['/ping', '/api/v2/ping'],
    ['/api/v2/ping', '/api/v2/ping'],
    ['manager/cluster/topology?includeRouters=no', '/api/v2/manager/cluster/topology?includeRouters=no'],
    ['/api/v2', '/api/v2'],
    ['/api/v20/ping', '/api/v2/api/v20/ping'],
    ['openapi.json', '/openapi.json'],
    ['docs', '/docs'],
    ['/health/ready', '/health/ready'],
    ['/metrics', '/metrics'],
    ['/metricsx', '/api/v2/metricsx'],
  ])('is completed from %s to %s', (written, meant) => {
    expect(apiPath(written)).toBe(meant)
  })

  it('is public for ping, the documentation and health only', () => {
    expect(['/api/v2/ping', '/openapi.json', '/docs', '/health/live'].every(isPublicPath)).toBe(true)
    expect(['/api/v2/users', '/metrics', '/api/v2/pings'].some(isPublicPath)).toBe(false)
  })

  it('gets the guard only once', () => {
    expect(withGuard('/a')).toBe('/a?i-am-sure=true')
    expect(withGuard('/a?b=c')).toBe('/a?b=c&i-am-sure=true')
    expect(withGuard('/a?i-am-sure=true&b=c')).toBe('/a?i-am-sure=true&b=c')
    expect(withGuard('/a?xi-am-sure=true')).toBe('/a?xi-am-sure=true&i-am-sure=true')
  })
})

describe('an envelope', () => {
  it('can be read as it was made', () => {
    const made = envelope('StringPayload', { value: 'x' })
    expect(made).toEqual({ payloadType: 'StringPayload', payloadVersion: '1', payload: { value: 'x' } })
    expect(readEnvelope(made)).toEqual(made)
  })

  it.each([[null], ['text'], [[]], [{ payload: {} }], [{ payloadType: 'x' }]])(
    'is not read from %j',
    (body) => {
      expect(readEnvelope(body)).toBeUndefined()
    },
  )
})

describe('readProblem', () => {
  const fields = {
    status: 400,
    code: 'bad-body',
    title: 'The body is wrong',
    detail: 'It has a member that nobody knows.',
    requestId: 'r1',
    errors: [{ path: '/payload/x', message: 'unknown' }],
  }

  it('reads an ErrorPayload and the fields of RFC 9457 without envelope', () => {
    expect(readProblem({ status: 400, body: envelope('ErrorPayload', fields) })).toEqual(fields)
    expect(readProblem({ status: 400, body: fields })).toEqual(fields)
  })

  it('returns only the status of any other body, and nothing for a success', () => {
    expect(readProblem({ status: 502, body: '<html>' })).toEqual({
      status: 502,
      title: 'The API returned an error',
      errors: [],
    })
    expect(readProblem({ status: 302, body: '' })?.status).toBe(302)
    expect(readProblem({ status: 200, body: envelope('ErrorPayload', fields) })).toBeUndefined()
  })
})

describe('explainFailure', () => {
  const explain = (code: string) =>
    explainFailure({ error: Object.assign(new Error('x'), { code }), place: 'P' })

  it('returns a code for errors of Node.js and OpenSSL', () => {
    expect(explain('EHOSTUNREACH').code).toBe('unreachable')
    expect(explain('ETIMEDOUT').code).toBe('timeout')
    expect(explain('EACCES').code).toBe('socket-forbidden')
    expect(explain('ERR_SSL_WRONG_VERSION_NUMBER').code).toBe('tls')
    expect(explain('HPE_INVALID_CONSTANT').code).toBe('bad-answer')
  })

  it('names an unknown code, and accepts an error without a code', () => {
    expect(explain('ESTRANGE').message).toBe('The call of P failed: ESTRANGE.')
    expect(explainFailure({ error: 'x', place: 'P' }).message).toBe('The call of P failed.')
  })

  it('distinguishes an unreachable API from a wrong certificate', () => {
    expect(isUnreachable('refused')).toBe(true)
    expect(isUnreachable('certificate-names')).toBe(false)
  })
})

describe('describeEndpoint', () => {
  it('writes an IPv6 address as in a URL', () => {
    const trust = { kind: 'system' } as const
    expect(describeEndpoint({ kind: 'tcp', address: '::1', port: 1, names: ['::1'], trust })).toBe(
      'https://[::1]:1',
    )
    expect(describeEndpoint({ kind: 'socket', path: '/run/x' })).toBe('the socket /run/x')
  })
})
