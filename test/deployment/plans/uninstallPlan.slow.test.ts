import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { quote } from '../../../src/base/shellWords.ts'
import type { HostFacts, InstallationFacts } from '../../../src/deployment/facts/hostFacts.ts'
import { preview } from '../../../src/deployment/hostPlan.ts'
import { layoutOf } from '../../../src/deployment/layout.ts'
import { uninstallPlan } from '../../../src/deployment/plans/uninstallPlan.ts'
import { connectLocal } from '../../../src/transport/local.ts'
import type { Transport } from '../../../src/transport/transport.ts'
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
  const removed = 'remove /opt/muster, /var/lib/muster-alpha, /var/log/muster-alpha'

  it('has no steps without an installation', () => {
    expect(summaries(hostFacts())).toEqual([])
    // Somebody else's folder of the same name.
    expect(summaries(hostFacts({ installation: installationFacts({ exists: true }) }))).toEqual([])
  })

  it('removes components and files, and the system user only if muster created it', () => {
    const stop = 'stop and remove manager, connector, replicator'
    expect(summaries(finished)).toEqual([stop, removed])
    const made = `${removed} and the system user muster-alpha`
    expect(summaries(factsWith({ madeUser: 'muster-alpha' }))).toEqual([stop, made])
  })

  it('completes an interrupted uninstall', () => {
    const facts = { ...factsWith({ files: new Map() }), services: new Map() }
    expect(summaries(facts)).toEqual([removed])
  })

  it('removes an installation that only created its user', () => {
    const facts = hostFacts({ installation: installationFacts({ exists: true, madeUser: 'muster-alpha' }) })
    expect(summaries(facts)).toEqual(['remove /opt/muster and the system user muster-alpha'])
  })

  it("removes only muster's folders, and share with the manifest last", async () => {
    const [services, files] = await scriptsOf(factsWith({ madeUser: 'muster-alpha' }))
    expect(services).toContain('systemctl stop muster-alpha-manager.service')
    expect(services).toContain('systemctl daemon-reload')
    const lines = (files ?? '').split('\n')
    expect(lines.filter((line) => line.startsWith('rm -rf'))).toEqual([
      'rm -rf /opt/muster/current /opt/muster/deployment.jsonl /opt/muster/deployment.jsonl.1 /opt/muster/.before /opt/muster/.before.new /opt/muster/.confirm /opt/muster/.went-back /opt/muster/releases /opt/muster/runtimes',
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

  it('keeps other users and does not call systemd without it', async () => {
    const files = new Map([...finished.installation.files].filter(([path]) => !path.startsWith('/etc')))
    const scripts = (await scriptsOf(factsWith({ files, units: new Map() }))).join('\n')
    expect(scripts).not.toContain('userdel')
    expect(scripts).not.toContain('systemctl')
    expect(scripts).toContain('stop manager 150; rm -f /opt/muster/share/processes/manager')
  })
})

describe('the system user that muster created', () => {
  const uid = 64_123
  let folder = ''
  const at = (path: string): string => join(folder, path)

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "muster gone'-"))
    for (const path of ['tools', 'units', 'disk']) mkdirSync(at(path))
    // It exists, and what would remove it only says so.
    writeFileSync(at('tools/id'), `#!/bin/sh\n[ "$1" != -u ] || echo ${uid}\n`, { mode: 0o755 })
    writeFileSync(at('tools/userdel'), '#!/bin/sh\necho "removed $1"\n', { mode: 0o755 })
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  /** Removes the files of an installation, on a host whose disk and whose units are folders of the test. */
  async function removed(changed: (script: string) => string = (script) => script): Promise<string> {
    const installation = installationFacts({ exists: true, madeUser: String(uid), manifest: '{}' })
    const own = layoutOf(at('muster'))
    mkdirSync(own.share, { recursive: true })
    const env = { ...process.env, PATH: `${at('tools')}:${process.env.PATH}` }
    const transport = await connectLocal({ host: 'db1', env })
    let said = ''
    const run: Transport['run'] = async (script, options) => {
      const here = script
        .replace('find / ', `find ${quote(at('disk'))} `)
        .replaceAll('/etc/systemd/system/*', `${quote(at('units'))}/*`)
      const result = await transport.run(changed(here), options)
      said += result.stdout.raw() + result.stderr.raw()
      return result
    }
    const facts = hostFacts({ installation })
    const plan = preview(uninstallPlan({ cluster: 'alpha', layout: own, facts }), facts)
    for (const { step } of plan) await step.apply({ ...transport, run })
    await transport.close()
    expect(existsSync(own.root)).toBe(false)
    return said
  }

  it('is removed by an uninstall if it owns nothing else', async () => {
    writeFileSync(at('disk/file'), '')
    writeFileSync(at('units/other.service'), `[Service]\nUser=${uid}1\n#User=${uid}\n`)
    expect(await removed()).toBe(`removed ${uid}\n`)
  })

  it.runIf(process.getuid?.() === 0)('is kept if it owns a file (needs root)', async () => {
    mkdirSync(at('disk/deep/er'), { recursive: true })
    writeFileSync(at('disk/deep/er/file'), '')
    chownSync(at('disk/deep/er/file'), uid, uid)
    expect(await removed()).toBe(`kept the system user ${uid}: it owns files\n`)
  })

  it.runIf(process.getuid?.() === 0)('is kept if it has a process (needs root)', async () => {
    const child = spawn('sleep', ['60'], { uid, stdio: 'ignore' })
    await once(child, 'spawn')
    try {
      expect(await removed()).toBe(`kept the system user ${uid}: it has running processes\n`)
    } finally {
      child.kill()
    }
  })

  it('is kept if a unit of another installation uses it', async () => {
    writeFileSync(at('units/muster-beta-manager.service'), `[Service]\nUser=${uid}\n`)
    expect(await removed()).toBe(
      `kept the system user ${uid}: a unit in /etc/systemd/system runs as that user\n`,
    )
  })

  it('is removed despite unreadable folders, and kept if the search times out', async () => {
    const met = await removed((script) => `timeout() { return 1; }\n${script}`)
    expect(met).toBe(`removed ${uid}\n`)
    const late = await removed((script) => `timeout() { return 124; }\n${script}`)
    expect(late).toBe(`kept the system user ${uid}: the search for its files timed out after 60 s\n`)
  })
})
