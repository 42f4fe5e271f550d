import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { createAuthority } from '../../../src/certificates/authority.ts'
import { readServerSettings } from '../../../src/contracts/serverSettings.ts'
import { beginRotation } from '../../../src/deployment/certificates/authorityRotation.ts'
import { serviceData } from '../../../src/deployment/services/implementations.ts'
import type { Target } from '../../../src/deployment/target.ts'
import { Secret } from '../../../src/secrets/secret.ts'
import { good } from '../../config/loadText.ts'
import { preparedTargets } from '../../support/preparedTargets.ts'
import { withoutDefault } from '../../support/withoutDefault.ts'
import { targetOf } from '../steps/target.ts'

describe('the settings of a component', () => {
  it('are what a server takes, each with an audit log of its own in the folder of logs', () => {
    const target = targetOf()
    for (const { settings, settingsFile } of target.components) {
      expect(readServerSettings(String(settingsFile.content))).toEqual(settings)
    }
    expect(target.components.map(({ settings }) => settings.auditFile)).toEqual([
      '/var/log/muster-alpha/manager.audit.jsonl',
      '/var/log/muster-alpha/connector.audit.jsonl',
      '/var/log/muster-alpha/replicator.audit.jsonl',
    ])
  })
})

const folder = fileURLToPath(new URL('../../fixtures/deployment', import.meta.url))
const text = readFileSync(`${folder}/databases.yaml`, 'utf8')

/** Everything that a shell, SQL or JSON could trip over. */
const sentinel = `'"\\$#%:@ é`
const passwords = { REPLICATION_PASSWORD: `repl${sentinel}`, MONITOR_PASSWORD: `mon${sentinel}` }

/** What every host of a file must become, from the text to the values. */
const targetsOf = async (
  yaml: string,
  env: Readonly<Record<string, string>> = passwords,
): Promise<ReadonlyMap<string, Target>> => (await preparedTargets({ yaml, env })).targets

const secretsOf = (target: Target | undefined): Record<string, string> => {
  const file = target?.tls.find(({ path }) => path === target.layout.secretsFile)
  if (!(file?.content instanceof Secret)) throw new Error('no secrets')
  expect({ mode: file.mode, owner: file.owner }).toEqual({ mode: 0o640, owner: 'root:muster-alpha' })
  return JSON.parse(file.content.reveal())
}
const digests = (target: Target | undefined): readonly string[] =>
  target?.components.map(({ digest }) => digest) ?? []

describe('the databases of a file', () => {
  it('stand in the settings of the components that need them', async () => {
    const targets = await targetsOf(text)
    const settings = Object.fromEntries(
      [...targets].map(([name, { components, data }]) => [
        name,
        Object.fromEntries(
          components.map(({ component, settings, settingsFile, unitFile }) => {
            expect(readServerSettings(String(settingsFile.content))).toEqual(settings)
            const { version, cluster, host, tls, usersFile, auditFile, allowedHosts, ...own } = settings
            expect(own.socket).toBe(data.socket(component))
            return [component, { ...own, unit: String(unitFile?.content) }]
          }),
        ),
      ]),
    )
    await expect(`${JSON.stringify(settings, withoutDefault, 2)}\n`).toMatchFileSnapshot(
      `${folder}/databases.settings.json`,
    )
  })

  it('have their passwords in the secrets file alone, and each host those that it needs', async () => {
    const targets = await targetsOf(text)
    const stores = ['java-keystore-password', 'java-truststore-password']
    const named = (host: string): readonly string[] => Object.keys(secretsOf(targets.get(host)))
    const [replication, monitor] = ['replication-password', 'monitor-password']
    expect(secretsOf(targets.get('db1'))).toMatchObject({
      [replication]: passwords.REPLICATION_PASSWORD,
      [monitor]: passwords.MONITOR_PASSWORD,
    })
    expect(named('db2')).toEqual([...stores, replication, monitor])
    expect(named('w1')).toEqual([...stores, monitor])
    expect(named('copy')).toEqual([...stores, replication])
    expect(named('app1')).toEqual(stores)
    for (const target of targets.values()) {
      const plain = target.tls.filter(({ content }) => !(content instanceof Secret))
      const files = [
        ...plain,
        ...target.components.flatMap(({ settingsFile, unitFile }) => [settingsFile, unitFile ?? []].flat()),
      ]
      for (const { path, content } of files) expect(String(content), path).not.toContain(sentinel)
      expect(JSON.stringify(target)).not.toContain(JSON.stringify(sentinel).slice(1, -1))
    }
  })

  it('restart nothing when the certificate is another, which the proof then wants to see', async () => {
    const { targets: before, state } = await preparedTargets({ yaml: text, env: passwords })
    const { targets: after } = await preparedTargets({
      yaml: text,
      env: passwords,
      state: { ...state, hosts: new Map() },
    })
    for (const [name, target] of before) {
      expect(digests(after.get(name)), name).toEqual(digests(target))
      expect(target.leaf, name).toMatch(/^[0-9A-F:]{95}$/)
      expect(after.get(name)?.leaf, name).not.toBe(target.leaf)
    }
  })

  it('restart nothing when a password changes, and everything that reads the map when that does', async () => {
    const { targets: before, state } = await preparedTargets({ yaml: text, env: passwords })
    const env = { ...passwords, MONITOR_PASSWORD: 'another password' }
    const { targets: after } = await preparedTargets({ yaml: text, env, state })
    for (const [name, target] of before) expect(digests(after.get(name)), name).toEqual(digests(target))
    expect(secretsOf(after.get('w1'))['monitor-password']).toBe('another password')

    const yaml = text.replace('replication-port: 3307', 'replication-port: 3308')
    const { targets: moved } = await preparedTargets({ yaml, env: passwords, state })
    const restarted = (name: string): readonly string[] => {
      const old = digests(before.get(name))
      return (moved.get(name)?.components ?? [])
        .filter(({ digest }) => !old.includes(digest))
        .map(({ component }) => component)
    }
    expect(['db1', 'w1', 'app1', 'copy'].map(restarted)).toEqual([
      ['manager', 'replicator'],
      ['manager'],
      ['connector'],
      [],
    ])
  })

  it('leave a host without any as it was, but for the map of its services', async () => {
    const targets = await targetsOf(good.replace('    connectors: [db1]\n', ''))
    const data = serviceData('systemd', { root: '/opt/muster', cluster: 'alpha' })
    const [manager, replicator] = targets.get('db1')?.components ?? []
    expect(Object.keys(secretsOf(targets.get('db1')))).toHaveLength(2)
    expect(manager?.settings).toMatchObject({
      services: { services: [{ name: 'alpha', datasources: [] }] },
      stateFile: data.stateFile('manager'),
      member: { service: 'alpha', datasource: null, witness: false },
    })
    for (const name of ['monitor', 'secretsFile', 'connectorSocket'])
      expect(manager?.settings).not.toHaveProperty(name)
    for (const name of ['database', 'secretsFile', 'services', 'stateFile'])
      expect(replicator?.settings).not.toHaveProperty(name)
  })
})

describe('hosts that prove themselves to each other', () => {
  const authorityFile = '/opt/muster/share/tls/authorities.pem'
  const authoritiesOn = (target: Target | undefined): string | undefined => {
    const file = target?.tls.find(({ path }) => path === authorityFile)
    return file && String(file.content)
  }

  it('have the authorities that they trust in a file, and the components that need it know of it', async () => {
    const targets = await targetsOf(text)
    for (const [name, target] of targets) {
      const knowing = target.components.filter(({ settings }) => settings.tls.authorities === authorityFile)
      const wanted = { app1: ['connector'], copy: [] }[name] ?? ['manager']
      expect([name, knowing.map(({ component }) => component)]).toEqual([name, wanted])
      expect([name, authoritiesOn(target)]).toEqual([
        name,
        wanted.length === 0 ? undefined : `${target.authorities[0]?.trimEnd()}\n`,
      ])
    }
  })

  it('have a channel on each host with a manager, for the others of its service, whatever its API listens on', async () => {
    const targets = await targetsOf(text)
    const settingsOf = (name: string) =>
      targets.get(name)?.components.find(({ component }) => component === 'manager')?.settings
    expect(settingsOf('db1')).toMatchObject({
      tls: { authorities: authorityFile },
      channel: { address: '0.0.0.0', port: 8091 },
      managers: [{ name: 'db2', port: 8091 }, { name: 'w1' }],
    })
    expect(settingsOf('db1')?.peers?.map(({ name }) => name)).toContain('app1')
    expect(settingsOf('w1')).toHaveProperty('channel')
    expect(settingsOf('w1')).not.toHaveProperty('managers')
  })

  it('trust both authorities while the authority is rotated, without a restart', async () => {
    const first = await preparedTargets({ yaml: text, env: passwords })
    const next = await createAuthority({ cluster: 'alpha', now: new Date('2026-01-01T00:00:00Z') })
    const state = beginRotation(first.state, next)
    const { targets } = await preparedTargets({ yaml: text, env: passwords, state })
    for (const name of ['db1', 'app1']) {
      const blocks = authoritiesOn(targets.get(name))?.match(/BEGIN CERTIFICATE/g)
      expect([name, blocks?.length]).toEqual([name, 2])
      expect(digests(targets.get(name))).toEqual(digests(first.targets.get(name)))
    }
  })
})
