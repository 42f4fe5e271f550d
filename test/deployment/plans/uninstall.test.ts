import { describe, expect, it } from 'vitest'
import type { HostFacts, InstallationFacts } from '../../../src/deployment/facts/model.ts'
import { layoutOf } from '../../../src/deployment/layout.ts'
import { uninstallPlan } from '../../../src/deployment/plans/uninstall.ts'
import { preview } from '../../../src/deployment/preview.ts'
import { hostFacts, installationFacts } from '../../support/deploymentValues.ts'
import { fakeTransport } from '../../support/fakeTransport.ts'
import { finishedFacts, targetOf } from '../steps/target.ts'

const layout = layoutOf('/opt/muster')
const finished = finishedFacts(targetOf())
const factsWith = (changes: Partial<InstallationFacts>): HostFacts => ({
  ...finished,
  installation: { ...finished.installation, ...changes },
})
const planOf = (facts: HostFacts) => preview(uninstallPlan({ cluster: 'alpha', layout, facts }), facts)
const summaries = (facts: HostFacts) => planOf(facts).map(({ change }) => change.summary)

async function scriptsOf(facts: HostFacts): Promise<readonly string[]> {
  const host = fakeTransport({ expect: [{ script: '' }] })
  for (const { step } of planOf(facts)) await step.apply(host)
  return host.scripts
}

describe('the plan of an uninstallation', () => {
  it('is nothing where nothing of ours is', () => {
    expect(summaries(hostFacts())).toEqual([])
    // Somebody else's folder of the same name.
    expect(summaries(hostFacts({ installation: installationFacts({ exists: true }) }))).toEqual([])
  })

  it('is components, files, and the system user only where we made it', () => {
    const stop = 'stop and remove manager, connector, replicator'
    expect(summaries(finished)).toEqual([stop, 'remove /opt/muster'])
    const made = 'remove /opt/muster and the system user muster-alpha'
    expect(summaries(factsWith({ madeUser: 'muster-alpha' }))).toEqual([stop, made])
  })

  it('ends what an earlier one began: components gone, files not', () => {
    const facts = { ...factsWith({ files: new Map() }), services: new Map() }
    expect(summaries(facts)).toEqual(['remove /opt/muster'])
  })

  it('ends an installation that had only made its user', () => {
    const facts = hostFacts({ installation: installationFacts({ exists: true, madeUser: 'muster-alpha' }) })
    expect(summaries(facts)).toEqual(['remove /opt/muster and the system user muster-alpha'])
  })

  it('takes only our own folders, and share with its manifest last', async () => {
    const [services, files] = await scriptsOf(factsWith({ madeUser: 'muster-alpha' }))
    expect(services).toContain('systemctl stop muster-alpha-manager.service')
    expect(services).toContain('systemctl daemon-reload')
    const lines = (files ?? '').split('\n')
    expect(lines.filter((line) => line.startsWith('rm -rf'))).toEqual([
      'rm -rf /opt/muster/current /opt/muster/deployment.jsonl /opt/muster/.before /opt/muster/releases /opt/muster/runtimes',
      'rm -rf /opt/muster/share',
    ])
    expect(lines.findIndex((line) => line.includes('userdel'))).toBeLessThan(
      lines.indexOf('rm -rf /opt/muster/share'),
    )
    // What the service user wrote goes with the rights of that user, and its empty folders with root's.
    expect(lines.filter((line) => line.includes('-delete'))).toEqual(
      ['/var/lib/muster-alpha', '/var/log/muster-alpha'].map(
        (path) =>
          `if [ -d ${path} ]; then timeout -k 5 120 setpriv --reuid=muster-alpha --regid=$(id -g muster-alpha) --clear-groups --no-new-privs -- find ${path} -xdev -mindepth 1 -delete; rmdir ${path}; fi`,
      ),
    )
    expect(lines.at(-1)).toMatch(/^rmdir \/opt\/muster /)
  })

  it('leaves other users alone and systemd out of it where there is none', async () => {
    const files = new Map([...finished.installation.files].filter(([path]) => !path.startsWith('/etc')))
    const scripts = (await scriptsOf(factsWith({ files, units: new Map() }))).join('\n')
    expect(scripts).not.toContain('userdel')
    expect(scripts).not.toContain('systemctl')
    expect(scripts).toContain('stop manager 150; rm -f /opt/muster/share/processes/manager')
  })
})
