import { describe, expect, it } from 'vitest'
import type { HostFacts } from '../../../src/deployment/facts/hostFacts.ts'
import { type ClusterState, emptyState } from '../../../src/deployment/state/clusterState.ts'
import type { SurveyedHost } from '../../../src/deployment/survey.ts'
import { decidePruning } from '../../../src/session/install/pruneHosts.ts'
import { hostConfig, hostFacts, installationFacts } from '../../support/deploymentValues.ts'
import { fakeTransport } from '../../support/fakeTransport.ts'

const context = { now: () => new Date(0), forks: undefined }
const config = {
  cluster: 'alpha',
  directory: '/',
  services: [],
  hosts: [hostConfig({ name: 'db1' })],
  excluded: [],
}
const state: ClusterState = {
  ...emptyState,
  machines: new Map([
    ['db1', ''],
    ['db3', ''],
  ]),
}

/** A host whose manager was installed with db3 as this of the service alpha, and does not respond. */
const managed = (name: string, role: 'primary' | 'replica'): SurveyedHost<HostFacts> => {
  const services = [{ name: 'alpha', datasources: [{ name: 'db3', role }] }]
  const settings = new Map([['manager', { services: { services } }]] as const)
  return {
    host: hostConfig({ name }),
    transport: fakeTransport({ host: name }),
    facts: hostFacts({ host: name, installation: installationFacts({ settings }) }),
    seconds: { connect: 0, facts: 0 },
  }
}
const surveyOf = (...reached: SurveyedHost<HostFacts>[]) => ({ reached, unreachable: [] })

describe('decidePruning', () => {
  it.each([
    ['a host of the file', surveyOf(managed('db1', 'primary')), surveyOf()],
    ['the host itself', surveyOf(), surveyOf(managed('db3', 'primary'))],
  ])(
    'refuses the primary of the last installation of %s where no manager responds',
    async (_, survey, left) => {
      const decided = await decidePruning({ context, config, state, survey, left })
      expect(decided).toMatchObject({ problems: [{ host: 'db3', code: 'primary-left' }] })
      if (!('problems' in decided)) throw new Error('not refused')
      expect(decided.problems[0]?.message).toBe(
        'db3 left the file, but it was the primary of alpha at the last installation, and no manager responds',
      )
    },
  )

  it('leaves a host that is not reached as it is, and names forget', async () => {
    const survey = surveyOf(managed('db1', 'replica'))
    expect(await decidePruning({ context, config, state, survey, left: surveyOf() })).toEqual({
      work: [],
      notes: [],
      kept: [
        'db3 left the file and is not taken out: the state directory does not know how to reach it. If it is gone for good: muster forget db3',
      ],
    })
  })

  it('takes out a replica last, with all that was installed', async () => {
    const [survey, left] = [surveyOf(managed('db1', 'replica')), surveyOf(managed('db3', 'replica'))]
    expect(await decidePruning({ context, config, state, survey, left })).toMatchObject({
      work: [{ host: 'db3', last: true }],
      kept: [],
    })
  })
})
