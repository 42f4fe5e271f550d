import { describe, expect, it } from 'vitest'
import type { HostFacts } from '../../../src/deployment/facts/hostFacts.ts'
import { preview } from '../../../src/deployment/hostPlan.ts'
import { installedSet } from '../../../src/deployment/installedSet.ts'
import { layoutOf } from '../../../src/deployment/layout.ts'
import { restoreRelease, rollbackPlan } from '../../../src/deployment/plans/rollbackPlan.ts'
import { rollbackTarget } from '../../../src/deployment/releases/chooseRelease.ts'
import { hostFacts } from '../../support/deploymentValues.ts'
import { fakeTransport } from '../../support/fakeTransport.ts'
import { finishedFacts, targetOf } from '../steps/target.ts'

const target = targetOf()
const finished = finishedFacts(target)
const setOf = (facts: HostFacts) => installedSet({ cluster: 'alpha', layout: layoutOf('/opt/muster'), facts })
const planned = (release: string) => preview(rollbackPlan({ set: setOf(finished), release }), finished)
const stepTo = (release: string) => {
  const [found] = planned(release)
  if (found === undefined) throw new Error('no step')
  return found.step
}

describe('the rollback plan', () => {
  it('has one step, and none if the release already runs', () => {
    expect(planned('1.0.0-old').map(({ change }) => change)).toEqual([
      {
        summary: `switch from ${target.release.id} back to release 1.0.0-old`,
        details: ['restart manager, connector, replicator'],
      },
    ])
    expect(planned(target.release.id)).toEqual([])
  })

  it('lets the clients of the running connector finish', () => {
    const settings = new Map(finished.installation.settings).set('connector', {
      proxy: { drainTimeout: 7000 },
    })
    const facts = { ...finished, installation: { ...finished.installation, settings } }
    expect(setOf(facts).drainTimeout).toBe(7000)
    const [switching] = preview(rollbackPlan({ set: setOf(facts), release: '1.0.0-old' }), facts)
    expect(switching?.change.drains).toBe(7000)
  })

  it('uses what is installed, whatever the file says', () => {
    const settings = new Map(finished.installation.settings)
    settings.delete('connector')
    const fewer = { ...finished, installation: { ...finished.installation, settings } }
    expect(setOf(fewer)).toMatchObject({ manager: 'systemd', components: ['manager', 'replicator'] })
    expect(setOf(hostFacts())).toMatchObject({ manager: 'process', components: [] })
  })

  it('records the target before the switch and the result after the restart', async () => {
    const host = fakeTransport({ expect: [{ script: '' }] })
    await stepTo('1.0.0-old').apply(host)
    expect(host.scripts).toHaveLength(1)
    expect(host.scripts[0]).toMatch(
      /'rolling back to 1\.0\.0-old' > \/opt\/muster\/share\/applied\/manager\n[\s\S]*ln -s releases\/1\.0\.0-old [\s\S]*systemctl stop [\s\S]*systemctl start [\s\S]*'rolled back to 1\.0\.0-old' > \/opt\/muster\/share\/applied\/manager\n/,
    )
  })

  it('completes an interrupted rollback', () => {
    const applied = new Map(finished.installation.applied).set('manager', 'rolling back to 1.0.0-old\n')
    const old = { id: '1.0.0-old', turn: 9, node: '', nodeThere: true }
    const stopped = (currentRelease: string): readonly string[] => {
      const releases = [...finished.installation.releases, old]
      const facts = {
        ...finished,
        installation: { ...finished.installation, applied, releases, currentRelease },
      }
      const release = rollbackTarget(facts, undefined).id
      const steps = rollbackPlan({ set: setOf(facts), release })
      return preview(steps, facts).map(({ change }) => change.summary)
    }
    expect(stopped(target.release.id)).toEqual([`switch from ${target.release.id} back to release 1.0.0-old`])
    expect(stopped('1.0.0-old')).toEqual(['end the rollback to release 1.0.0-old'])
  })

  it('is undone by the previous release with its digests, and waits for its response', async () => {
    const restore = restoreRelease({ facts: finished, set: setOf(finished), release: '1.0.0-old' })
    const answers = ['manager', 'connector', 'replicator'].map((id) => ({ id, status: 200, body: {} }))
    const host = fakeTransport({
      expect: [
        { script: 'muster-api.cjs call', result: { stdout: JSON.stringify(answers) }, times: 1 },
        { script: `ln -s releases/${target.release.id} `, times: 1 },
      ],
    })
    await restore(host)
    expect(host.unmet()).toEqual([])
    const digests = target.components.map(({ digest }) => digest)
    for (const digest of digests)
      expect(host.scripts[0]).toMatch(new RegExp(`systemctl start[\\s\\S]*${digest}`))
    expect(host.scripts[0]).toContain('rm -f /opt/muster/releases/1.0.0-old/.activated')
    const silent = fakeTransport({
      expect: [{ script: 'call', result: { stdout: '[]' } }, { script: 'ln -s' }],
    })
    await expect(restore(silent)).rejects.toMatchObject({ code: 'not-answering' })
  })
})
