import { describe, expect, it } from 'vitest'
import { apiPath, isPublicPath, withGuard } from '../../src/client/apiPath.ts'
import { isUnreachable } from '../../src/client/clientError.ts'
import { describeEndpoint } from '../../src/client/endpoint.ts'
import { envelope, readEnvelope, readProblem } from '../../src/client/envelope.ts'
import { explainFailure } from '../../src/client/explainFailure.ts'
import { registryDirectory } from '../../src/client/registry.ts'

describe('apiPath', () => {
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
  ])('%s means %s', (written, meant) => {
    expect(apiPath(written)).toBe(meant)
  })

  it('knows what needs no login', () => {
    expect(['/api/v2/ping', '/openapi.json', '/docs', '/health/live'].every(isPublicPath)).toBe(true)
    expect(['/api/v2/users', '/metrics', '/api/v2/pings'].some(isPublicPath)).toBe(false)
  })

  it('adds the guard once', () => {
    expect(withGuard('/a')).toBe('/a?i-am-sure=true')
    expect(withGuard('/a?b=c')).toBe('/a?b=c&i-am-sure=true')
    expect(withGuard('/a?i-am-sure=true&b=c')).toBe('/a?i-am-sure=true&b=c')
    expect(withGuard('/a?xi-am-sure=true')).toBe('/a?xi-am-sure=true&i-am-sure=true')
  })
})

describe('envelope', () => {
  it('is made and read', () => {
    const made = envelope('StringPayload', { value: 'x' })
    expect(made).toEqual({ payloadType: 'StringPayload', payloadVersion: '1', payload: { value: 'x' } })
    expect(readEnvelope(made)).toEqual(made)
  })

  it.each([[null], ['text'], [[]], [{ payload: {} }], [{ payloadType: 'x' }]])('%j is none', (body) => {
    expect(readEnvelope(body)).toBeUndefined()
  })
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

  it('reads an ErrorPayload and the bare fields of RFC 9457 alike', () => {
    expect(readProblem({ status: 400, body: envelope('ErrorPayload', fields) })).toEqual(fields)
    expect(readProblem({ status: 400, body: fields })).toEqual(fields)
  })

  it('makes do with a status, and sees none in a success', () => {
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

  it('has words for what Node.js and OpenSSL report', () => {
    expect(explain('EHOSTUNREACH').code).toBe('unreachable')
    expect(explain('ETIMEDOUT').code).toBe('timeout')
    expect(explain('EACCES').code).toBe('socket-forbidden')
    expect(explain('ERR_SSL_WRONG_VERSION_NUMBER').code).toBe('tls')
    expect(explain('HPE_INVALID_CONSTANT').code).toBe('bad-answer')
  })

  it('names a code that it does not know, and copes with an error that has none', () => {
    expect(explain('ESTRANGE').message).toBe('The call of P failed: ESTRANGE.')
    expect(explainFailure({ error: 'x', place: 'P' }).message).toBe('The call of P failed.')
  })

  it('tells what was not reached from what is wrong', () => {
    expect(isUnreachable('refused')).toBe(true)
    expect(isUnreachable('certificate-names')).toBe(false)
  })
})

describe('describeEndpoint', () => {
  it('writes IPv6 as a URL does', () => {
    const trust = { kind: 'system' } as const
    expect(describeEndpoint({ kind: 'tcp', address: '::1', port: 1, names: ['::1'], trust })).toBe(
      'https://[::1]:1',
    )
    expect(describeEndpoint({ kind: 'socket', path: '/run/x' })).toBe('the socket /run/x')
  })
})

describe('registryDirectory', () => {
  it('follows the XDG Base Directory Specification', () => {
    expect(registryDirectory({ XDG_CONFIG_HOME: '/x', HOME: '/h' })).toBe('/x/muster/clusters')
    expect(registryDirectory({ XDG_CONFIG_HOME: 'x', HOME: '/h' })).toBe('/h/.config/muster/clusters')
    expect(registryDirectory({ HOME: '/h' })).toBe('/h/.config/muster/clusters')
    expect(registryDirectory({ HOME: '' }, '/root')).toBe('/root/.config/muster/clusters')
  })
})
