import { describe, expect, it } from 'vitest'
import { createHasher } from '../../../src/accounts/passwordHash.ts'
import type { ClusterConfig, HostConfig } from '../../../src/config/model.ts'
import type { HostFacts } from '../../../src/deployment/facts/hostFacts.ts'
import { changedSecrets, comparePlans, planMismatch } from '../../../src/deployment/savedPlan/comparePlans.ts'
import { madeAtInstall, type SavedPlan } from '../../../src/deployment/savedPlan/savedPlan.ts'
import { secretMarks } from '../../../src/deployment/savedPlan/savePlan.ts'
import { emptyState, withHost } from '../../../src/deployment/state/clusterState.ts'
import type { SecretReference } from '../../../src/secrets/reference.ts'
import { Secret } from '../../../src/secrets/secret.ts'
import { hostConfig } from '../../support/deploymentValues.ts'
import { monitorSettings } from '../../support/monitorSettings.ts'
import { finishedFacts, targetOf } from '../steps/target.ts'
import { configOf, saved } from './values.ts'

const target = targetOf()
const finished = finishedFacts(target)
const compare = (was: SavedPlan, is: SavedPlan) => comparePlans(was, is)[0]
const finishedBut = (changes: Partial<HostFacts['installation']>): HostFacts => ({
  ...finished,
  installation: { ...finished.installation, ...changes },
})

describe('comparePlans', () => {
  it('reports no change if nothing relevant changed', () => {
    const busy = finishedBut({ freeBytes: 17 })
    const listening = { ...busy, listeners: [{ address: '0.0.0.0', port: 22 }] }
    expect(compare(saved(target, { facts: finished }), saved(target, { facts: listening }))).toEqual({
      host: 'db1',
      moved: [],
      touched: false,
    })
  })

  it('reports no change before a first installation, which creates the certificates', () => {
    const later = {
      ...target,
      tls: target.tls.map((file) => ({ ...file, sha256: file.sha256.toUpperCase() })),
    }
    const plan = saved(target)
    expect(plan.hosts[0]?.files).toMatchObject({ 'share/tls/key.pem': madeAtInstall })
    expect(plan.hosts[0]?.files).not.toHaveProperty('share/secrets.json')
    expect(compare(plan, saved(later))?.moved).toEqual([])
    // A run that got no further may have made them meanwhile.
    const bytes = Buffer.from('keystore')
    const chain = 'the chain'
    const key = new Secret('the private key')
    const state = withHost(emptyState, 'db1', { keystore: bytes, truststore: bytes, key, chain })
    expect(saved(target, { state }).hosts[0]?.files['share/tls/key.pem']).toMatch(/^[\da-f]{64}$/)
    expect(compare(plan, saved(target, { state }))?.moved).toEqual([])
    expect(compare(saved(target, { state }), plan)?.moved).toEqual([
      'changed: share/tls/keystore.p12 would be generated again',
      'changed: share/tls/key.pem would be generated again',
      'changed: share/tls/chain.pem would be generated again',
    ])
  })

  it('reports changed facts with the same steps', () => {
    const users = new Secret('{"version":1,"users":[]}')
    const one = saved(target, { facts: finishedBut({ currentRelease: 'old' }) })
    const other = saved(target, { facts: finishedBut({ currentRelease: 'old', madeUser: 'other' }) })
    expect(compare(one, other)).toEqual({ host: 'db1', moved: [], touched: true })
    expect(
      compare(saved(target, { facts: finished }), saved(target, { facts: finishedBut({ users }) })),
    ).toEqual({ host: 'db1', moved: ['new: create the administrator admin'], touched: true })
  })

  it('reports added, removed and changed steps', () => {
    const settings = new Map(finished.installation.settings).set('manager', { listen: { port: 1 } })
    const files = new Map(finished.installation.files)
    const path = target.layout.settings('manager')
    files.set(path, { sha256: '0'.repeat(64), mode: 0o644, owner: 'root:root' })
    const was = saved(target, { facts: finishedBut({ settings, files, runtimes: [] }) })
    const services = new Map(finished.services).set('manager', { state: 'stopped', enabled: true })
    const other = new Map(settings).set('manager', { listen: { port: 2 } })
    const is = saved(target, { facts: { ...finishedBut({ settings: other, files }), services } })
    expect(compare(was, is)?.moved).toMatchInlineSnapshot(`
      [
        "no longer needed: send the runtime node-24.0.0-0123456789ab",
        "changed: write settings",
        "  - manager-rest-api-port: 1 → 8090",
        "  + manager-rest-api-port: 2 → 8090",
        "new: start manager",
      ]
    `)
  })

  it('reports another file content with the same line', () => {
    const one = targetOf({ host: { tls: { ...target.host.tls, keystorePath: '/k', truststorePath: '/t' } } })
    const other = {
      ...one,
      tls: one.tls.map((file) =>
        file.path.endsWith('keystore.p12') ? { ...file, sha256: 'f'.repeat(64) } : file,
      ),
    }
    expect(compare(saved(one), saved(other))?.moved).toEqual([
      'changed: share/tls/keystore.p12 would be another file than planned',
    ])
  })

  it('reports another machine', () => {
    const machineId = 'f'.repeat(32)
    const other = saved(target, { facts: { ...target.facts, machineId } })
    expect(compare(saved(target), other)?.moved).toEqual(['another machine answers at 10.0.0.11'])
    expect(JSON.stringify(other)).not.toContain(machineId)
  })

  it('shortens a long difference', () => {
    const [host] = saved(target).hosts
    if (host === undefined) throw new Error('no host')
    const of = (words: readonly string[]): SavedPlan => ({
      ...saved(target),
      hosts: [{ ...host, steps: [{ id: 'a', phase: 'commit', summary: 'write', details: words }] }],
    })
    const numbers = Array.from({ length: 5 }, (_, index) => `line ${index}`)
    expect(compare(of(numbers), of(numbers.map((line) => `${line}!`)))?.moved).toEqual([
      'changed: write',
      ...numbers.map((line) => `  - ${line}`),
      '  + line 0!',
      '  and 4 more lines',
    ])
  })
})

const plan = saved(target)
const config = configOf(target)
const judge = (changes: Partial<ClusterConfig>, version = '1.2.3') =>
  planMismatch(plan, { config: { ...config, ...changes }, version })
const given = (changes: Partial<HostConfig>) => judge({ hosts: [{ ...target.host, ...changes }] })

describe('planMismatch', () => {
  it('accepts another connection, folder and source of secrets', () => {
    expect(judge({})).toBeUndefined()
    expect(
      given({ via: 'local', ssh: { transport: 'builtin', user: 'other', become: true } }),
    ).toBeUndefined()
    const at = { option: 'rest-api-admin-pass', place: 'muster.yaml:1:1' }
    const withKeystore = (directory: string, password: SecretReference) =>
      saved(
        targetOf({
          host: {
            users: [{ user: 'admin', option: 'rest-api-admin-pass', access: 'full', password }],
            tls: { ...target.host.tls, keystorePath: `${directory}/k.p12`, truststorePath: '/t' },
          },
        }),
        {},
      ).hosts[0]?.configuration
    expect(withKeystore('/operator', { kind: 'env', name: 'A', at })).toBe(
      withKeystore('/operator', { kind: 'literal', value: new Secret('b') }),
    )
    expect(withKeystore('/operator', { kind: 'env', name: 'A' })).not.toBe(
      withKeystore('/elsewhere', { kind: 'env', name: 'A' }),
    )
  })

  it.each([
    ['cluster', () => judge({ cluster: 'beta' }), 'is for cluster alpha, but the file is for cluster beta'],
    ['muster', () => judge({}, '2.0.0'), 'was made by muster 1.2.3, but this is muster 2.0.0'],
    [
      'host',
      () => judge({ hosts: [hostConfig({ name: 'db2' })] }),
      'is for db1, which the file no longer has',
    ],
    [
      'new host',
      () => judge({ hosts: [target.host, hostConfig({ name: 'db2' })] }),
      'does not include db2, which the file now has',
    ],
    ['option', () => given({ logLevel: 'debug' }), 'is outdated: the configuration of db1 has changed'],
    [
      'secret that is given now',
      () =>
        given({
          users: [
            {
              user: 'admin',
              option: 'rest-api-admin-pass',
              access: 'full',
              password: { kind: 'env', name: 'A' },
            },
          ],
        }),
      'is outdated: the configuration of db1 has changed',
    ],
    [
      'services',
      () => judge({ services: [{ name: 'alpha', datasources: [] }] }),
      'is outdated: the services in the file have changed',
    ],
  ])('reports another %s', (_, found, expected) => {
    expect(found()).toBe(expected)
  })
})

describe('secretMarks', () => {
  const hash = createHasher({ ln: 4, r: 8, p: 1 })
  const reference = (name: string): SecretReference => ({ kind: 'env', name })
  const [admin, monitor] = [reference('ADMIN'), reference('MONITOR')]
  const hosts = ['db1', 'db2'].map((name) =>
    hostConfig({
      name,
      users: [{ user: 'admin', option: 'rest-api-admin-pass', access: 'full', password: admin }],
      monitor: { ...monitorSettings, user: 'monitor', password: monitor },
    }),
  )
  const marks = (password: string, cluster = 'alpha') => {
    const secrets = new Map([
      [admin, new Secret(password)],
      [monitor, new Secret('another')],
    ])
    return secretMarks({ cluster, hosts, secrets, hash })
  }
  const planWith = async (password: string) => {
    const own = await marks(password)
    const two = plan.hosts.flatMap((host) =>
      hosts.map(({ name }) => ({ ...host, host: name, secrets: own.get(name) ?? {} })),
    )
    return { ...plan, hosts: two }
  }

  it('returns twelve bits, equal for equal secrets of a cluster', async () => {
    const own = await marks('correct horse')
    expect(own.get('db1')).toEqual({
      'rest-api-admin-pass': expect.stringMatching(/^[\da-f]{3}$/),
      'monitor-password': expect.stringMatching(/^[\da-f]{3}$/),
    })
    expect(own.get('db2')).toEqual(own.get('db1'))
    expect(await marks('correct horse')).toEqual(own)
    expect((await marks('correct horse', 'beta')).get('db1')).not.toEqual(own.get('db1'))
  })

  it('shows which secrets changed on which hosts', async () => {
    const before = await planWith('correct horse')
    expect(changedSecrets(before, await marks('correct horse'))).toBeUndefined()
    expect(changedSecrets(before, await marks('battery staple'))).toBe('rest-api-admin-pass of db1 and db2')
    expect(changedSecrets(before, new Map())).toBe(
      'rest-api-admin-pass of db1 and db2; monitor-password of db1 and db2',
    )
  })
})
