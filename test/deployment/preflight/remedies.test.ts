import { describe, expect, it } from 'vitest'
import type { Subject } from '../../../src/deployment/preflight/checkContract.ts'
import { checkHosts } from '../../../src/deployment/preflight/checkHosts.ts'
import { remedySteps } from '../../../src/deployment/preflight/remedies.ts'
import { hostFacts, installationFacts } from '../../support/deploymentValues.ts'
import { fakeTransport } from '../../support/fakeTransport.ts'
import { checkContext, subject } from './values.ts'

const stepsFor = (one: Subject) => checkHosts(checkContext([one]), []).flatMap(remedySteps)

describe('muster check --fix', () => {
  it('changes nothing without a remedy', () => {
    expect(stepsFor(subject())).toEqual([])
    const clockAndNames = subject({
      observed: { clockOffset: -7_200_000 },
      facts: { machineId: 'f'.repeat(31) },
    })
    expect(stepsFor(clockAndNames)).toEqual([])
  })

  it('creates a missing machine-id, only as root', async () => {
    const [step, ...others] = stepsFor(subject({ facts: { machineId: '' } }))
    expect({ id: step?.id, title: step?.title, phase: step?.phase, others }).toEqual({
      id: 'fix-machine-id',
      title: 'create a machine-id',
      phase: 'commit',
      others: [],
    })
    const transport = fakeTransport({ expect: [{ script: 'systemd-machine-id-setup', result: { code: 0 } }] })
    await step?.apply(transport, hostFacts())
    expect(stepsFor(subject({ facts: { machineId: '', uid: 1000, login: 'ops' } }))).toEqual([])
  })

  it('removes leftovers of interrupted runs, with a fix if that fails', async () => {
    const leftovers = ['releases/.new-release', 'share/.x.muster-0123456789abcdef']
    const [step] = stepsFor(subject({ host: { installDirectory: "/opt/it's" }, observed: { leftovers } }))
    expect(step?.check(hostFacts({ host: 'db1' }))).toEqual({
      summary: 'remove 2 leftovers of interrupted runs',
      details: [],
    })
    const script = `cd '/opt/it'\\''s' && rm -rf -- ${leftovers.join(' ')}`
    const manifest = JSON.stringify({ version: 1, cluster: 'beta', host: 'db9' })
    const others = installationFacts({ manifest })
    expect(stepsFor(subject({ facts: { installation: others }, observed: { leftovers } }))).toEqual([])
    const result = { code: 1, stderr: 'rm: Read-only file system\n' }
    await expect(
      step?.apply(fakeTransport({ expect: [{ script, result }] }), hostFacts()),
    ).rejects.toMatchObject({
      message: expect.stringContaining('Read-only file system'),
      fix: 'Apply the fix of `muster check` by hand.',
    })
  })
})
