import { describe, expect, it } from 'vitest'
import type { Machines } from '../../src/deployment/hostIdentity.ts'
import { manifestText } from '../../src/deployment/manifest.ts'
import { mustBeOwnMachine } from '../../src/deployment/ownMachine.ts'
import { hostConfig } from '../support/deploymentValues.ts'
import { fakeTransport } from '../support/fakeTransport.ts'

const [own, other] = ['0123456789abcdef0123456789abcdef', 'fedcba9876543210fedcba9876543210']
const installed = (machineId: string): string =>
  Buffer.from(manifestText({ version: 1, cluster: 'alpha', host: 'db1', machineId })).toString('base64')

describe('a host that is asked for no more than who it is', () => {
  const ask = (stdout: string, recorded: Machines['recorded'] = new Map([['db1', own]])) => {
    const transport = fakeTransport({
      expect: [{ script: '/opt/muster/share/installation.json', result: { stdout } }],
    })
    const host = hostConfig({ connection: 'ssh' })
    return mustBeOwnMachine(transport, { host, machines: { recorded, folders: new Map(), replaced: [] } })
  }

  it.each([
    ['that was installed', `${own}\n${installed(own)}`],
    ['without an installation', `${own}\n`],
  ])('is taken for the machine %s', async (_, stdout) => {
    await ask(stdout)
  })

  it.each([
    ['another machine-id than is known here', `${other}\n`],
    ['none', '\n'],
    ['another than its installation has', `${own}\n${installed(other)}`],
  ])('is refused with %s', async (_, stdout) => {
    await expect(ask(stdout)).rejects.toMatchObject({ code: 'other-machine', host: 'db1' })
  })

  it('is refused by its installation alone where nothing is known here', async () => {
    await ask(`${own}\n${installed(own)}`, new Map())
    await expect(ask(`${own}\n${installed(other)}`, new Map())).rejects.toMatchObject({
      code: 'other-machine',
    })
  })

  it('is not asked where it is this machine', async () => {
    const transport = fakeTransport({})
    const machines = { recorded: new Map([['db1', other]]), folders: new Map(), replaced: [] }
    await mustBeOwnMachine(transport, { host: hostConfig({ connection: 'local' }), machines })
    expect(transport.scripts).toEqual([])
  })
})
