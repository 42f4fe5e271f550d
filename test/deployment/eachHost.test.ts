import { expect, it } from 'vitest'
import { onEachHost } from '../../src/deployment/eachHost.ts'
import { SecretError } from '../../src/secrets/secretError.ts'
import { hostConfig } from '../support/deploymentValues.ts'
import { fakeTransport } from '../support/fakeTransport.ts'

it('onEachHost treats an exception as a failure of that host and continues with the others', async () => {
  const transports = new Map(['db1', 'db2'].map((host) => [host, fakeTransport({ host })]))
  const results = await onEachHost({
    hosts: [hostConfig(), hostConfig({ name: 'db2' })],
    forks: undefined,
    connect: async ({ name }) => transports.get(name) ?? fakeTransport({}),
    work: async (_transport, { name }) => {
      if (name === 'db1') throw new RangeError('Invalid time \u001b[31mvalue')
      return 'done'
    },
  })
  expect(results).toMatchObject([
    {
      host: { name: 'db1' },
      unreachable: false,
      failure: {
        code: 'internal-error',
        message: expect.stringMatching(
          /^unexpected error: RangeError: Invalid time \\x1b\[31mvalue \(eachHost\.test\.ts:\d+\)$/,
        ),
      },
    },
    { host: { name: 'db2' }, result: 'done' },
  ])
  expect([...transports.values()].map((transport) => transport.closed())).toEqual([true, true])
})

it('onEachHost reports an error of this machine with its own message', async () => {
  const own = new SecretError({ code: 'file-missing', reason: 'there is no such file', fix: 'Make it.' })
  const results = await onEachHost({
    hosts: [hostConfig()],
    forks: undefined,
    connect: () => Promise.reject(own),
    work: async () => undefined,
  })
  expect(results).toMatchObject([
    {
      failure: {
        code: 'file-missing',
        message: 'A secret cannot be read: there is no such file.',
        fix: 'Make it.',
      },
    },
  ])
})
