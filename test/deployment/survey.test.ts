import { describe, expect, it } from 'vitest'
import { type FactsScope, surveyHosts } from '../../src/deployment/survey.ts'
import { hostConfig, hostFacts } from '../support/deploymentValues.ts'
import { fakeTransport } from '../support/fakeTransport.ts'

describe('a survey', () => {
  it('reads the previous install-directory of a host if the file names another one', async () => {
    const asked = new Map<string, string | undefined>()
    const scope: FactsScope<ReturnType<typeof hostFacts>> = {
      facts: async (_cluster, { host, previousFolder }) => {
        asked.set(host.name, previousFolder)
        return hostFacts({ host: host.name })
      },
    }
    const hosts = ['db1', 'db2', 'db3'].map((name) => hostConfig({ name }))
    const here = hosts[0]?.installDirectory ?? ''
    await surveyHosts({
      config: { cluster: 'alpha', directory: '/etc/alpha', services: [], hosts },
      scope,
      connect: async ({ name }) => fakeTransport({ host: name }),
      emit: () => {},
      clock: () => 0,
      machines: {
        recorded: new Map(),
        replaced: [],
        folders: new Map([
          ['db1', '/opt/elsewhere'],
          ['db2', here],
        ]),
      },
    })
    expect([...asked]).toEqual([
      ['db1', '/opt/elsewhere'],
      ['db2', undefined],
      ['db3', undefined],
    ])
  })
})
