import { describe, expect, it } from 'vitest'
import { envelope } from '../../../src/contracts/envelope.ts'
import { managerExamples } from '../../../src/contracts/examples/managerExamples.ts'
import type { HostFacts } from '../../../src/deployment/facts/hostFacts.ts'
import { type ClusterState, emptyState } from '../../../src/deployment/state/clusterState.ts'
import type { SurveyedHost } from '../../../src/deployment/survey.ts'
import { decidePruning, mappedStill } from '../../../src/session/install/pruneHosts.ts'
import { finishedFacts, targetOf } from '../../deployment/steps/target.ts'
import { hostConfig, hostFacts, installationFacts } from '../../support/deploymentValues.ts'
import { fakeTransport } from '../../support/fakeTransport.ts'

const context = { now: () => new Date(0), forks: undefined }
const config = {
  cluster: 'alpha',
  directory: '/',
  services: [{ name: 'alpha', datasources: [] }],
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

/** A host whose manager responds, with db1 as the primary and db2 as a replica of the service alpha. */
const responding = (): SurveyedHost<HostFacts> => {
  const body = envelope('ServiceStatusPayload', managerExamples.managerServiceStatus.response)
  const stdout = JSON.stringify([{ id: 'service alpha', status: 200, body }])
  return {
    host: hostConfig({ name: 'db9' }),
    transport: fakeTransport({ host: 'db9', expect: [{ script: 'call', result: { stdout } }] }),
    facts: finishedFacts(targetOf()),
    seconds: { connect: 0, facts: 0 },
  }
}

describe('mappedStill', () => {
  it('names the managers whose map still has a host that was taken out', async () => {
    const around = { context, config, state, survey: surveyOf(responding()) }
    expect(await mappedStill(['db2', 'db7'], around)).toBe(
      'db2 is still a data source of the manager of db9, whose map was changed through an API. To use the map of the file there: tapi map reset',
    )
    expect(await mappedStill(['db7'], around)).toBeUndefined()
  })
})

describe('decidePruning', () => {
  it.each([
    ['db1', 'db1 left the file, but it is the primary of alpha'],
    ['db2', undefined],
  ])('asks a manager whether %s is the primary', async (host, refusal) => {
    const left = { ...state, machines: new Map([[host, '']]) }
    const survey = surveyOf(responding())
    const at = { ...config, hosts: [] }
    const decided = await decidePruning({ context, config: at, state: left, survey, left: surveyOf() })
    const problems = 'problems' in decided ? decided.problems.map(({ message }) => message) : []
    expect(problems).toEqual(refusal === undefined ? [] : [refusal])
  })

  it('lets the primary go of a service that left the file as a whole', async () => {
    const [survey, left] = [surveyOf(managed('db1', 'primary')), surveyOf(managed('db3', 'primary'))]
    const at = { ...config, services: [] }
    expect(await decidePruning({ context, config: at, state, survey, left })).toMatchObject({
      work: [{ host: 'db3' }],
    })
  })

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
      renamed: [],
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
