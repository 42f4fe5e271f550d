import { describe, expect, it } from 'vitest'
import { type CallRequest, parseCallRequests } from '../../src/client/call.ts'
import { CallRequestError } from '../../src/client/parseCallRequests.ts'

const pem = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'
const call: CallRequest = {
  id: 'manager',
  method: 'POST',
  path: '/api/v2/createAdminUser?i-am-sure=true',
  target: { address: '10.0.0.11', port: 8090, servername: 'db1', certificate: 'AB:CD', authorities: [pem] },
  credentials: { user: 'admin', password: '\'"\\$#%:@ é' },
  body: { a: null },
  timeout: 1000,
  retryUntil: 0,
  show: 'certificates',
}
const text = (...changes: object[]) => JSON.stringify(changes.map((change) => ({ ...call, ...change })))

describe('parseCallRequests', () => {
  it('reads every member, and passes over those it does not know', () => {
    expect(parseCallRequests(text({ later: true }))).toEqual([call])
    expect(parseCallRequests(text({ show: 'later' }))[0]).not.toHaveProperty('show')
    const short = { id: 'x', method: 'GET', path: '/', target: { socket: '/run/x.sock' }, timeout: 1 }
    expect(parseCallRequests(JSON.stringify([short]))).toEqual([short])
    expect(parseCallRequests('[]')).toEqual([])
  })

  it.each([
    ['not JSON: hunter2', 'Standard input is not valid JSON; it must be an array of calls.'],
    ['{}', 'Standard input must be a JSON array of calls.'],
    ['[null]', 'Call 1 must be a JSON object.'],
    [text({}, {}), 'Two calls have the id "manager".'],
    [text({ id: '' }), 'The member id of call 1 must be text, not empty.'],
    [text({}, { id: 'b', method: 'PUT' }), 'The method of call 2 must be GET or POST.'],
    [text({ path: 'ping' }), 'The path of call 1 must begin with a slash.'],
    [text({ timeout: '1s' }), 'The member timeout of call 1 must be a number of milliseconds, 0 or more.'],
    [
      text({ retryUntil: -1 }),
      'The member retryUntil of call 1 must be a number of milliseconds, 0 or more.',
    ],
    [text({ target: [] }), 'The target of call 1 must be a JSON object.'],
    [text({ target: { socket: 1 } }), 'The member socket of the target of call 1 must be text, not empty.'],
    [
      text({ target: { address: 'a', port: 0, authorities: [pem] } }),
      'The port of the target of call 1 must be a whole number from 1 to 65535.',
    ],
    [
      text({ target: { address: 'a', port: 1, authorities: [] } }),
      'The authorities of the target of call 1 must be a list of PEM certificates, not empty.',
    ],
    [
      text({ target: { address: 1, port: 1, authorities: [pem] } }),
      'The member address of the target of call 1 must be text, not empty.',
    ],
    [text({ credentials: 'hunter2' }), 'The credentials of call 1 must be a JSON object.'],
    [
      text({ credentials: { user: 'admin', password: ['hunter2'] } }),
      'The member password of the credentials of call 1 must be text, not empty.',
    ],
  ])('refuses what it cannot use: %#', (input, message) => {
    expect(() => parseCallRequests(input)).toThrow(new CallRequestError(message))
  })
})
