import { describe, expect, it } from 'vitest'
import type { ClusterConfig, HostConfig } from '../../../src/config/model.ts'
import { changedSecrets, planIsOfAnother } from '../../../src/deployment/savedPlan/judgeSavedPlan.ts'
import { secretMarks } from '../../../src/deployment/savedPlan/secretMarks.ts'
import type { SecretReference } from '../../../src/secrets/reference.ts'
import { Secret } from '../../../src/secrets/secret.ts'
import { hostConfig } from '../../support/deploymentValues.ts'
import { targetOf } from '../steps/target.ts'
import { configOf, saved } from './values.ts'

const target = targetOf()
const plan = saved(target)
const config = configOf(target)
const judge = (changes: Partial<ClusterConfig>, version = '1.2.3') =>
  planIsOfAnother(plan, { config: { ...config, ...changes }, version })
const given = (changes: Partial<HostConfig>) => judge({ hosts: [{ ...target.host, ...changes }] })

describe('the file of a saved plan', () => {
  it('may be reached otherwise, lie elsewhere, and take its secrets from elsewhere', () => {
    expect(judge({})).toBeUndefined()
    expect(given({ via: 'local', ssh: { user: 'other', become: true } })).toBeUndefined()
    const at = { option: 'rest-api-admin-pass', place: 'muster.yaml:1:1' }
    const withKeystore = (directory: string, password: SecretReference) =>
      saved(
        targetOf({
          host: {
            users: [{ user: 'admin', option: 'rest-api-admin-pass', password }],
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
    ['cluster', () => judge({ cluster: 'beta' }), 'is of the cluster alpha, the file of beta'],
    ['muster', () => judge({}, '2.0.0'), 'was made by muster 1.2.3, and this is muster 2.0.0'],
    [
      'host',
      () => judge({ hosts: [hostConfig({ name: 'db2' })] }),
      'is for db1, which the file has no longer',
    ],
    [
      'new host',
      () => judge({ hosts: [target.host, hostConfig({ name: 'db2' })] }),
      'knows nothing of db2, which the file has now',
    ],
    ['option', () => given({ logLevel: 'debug' }), 'was made when the file gave db1 something else'],
    [
      'secret that is given now',
      () =>
        given({
          users: [{ user: 'admin', option: 'rest-api-admin-pass', password: { kind: 'env', name: 'A' } }],
        }),
      'was made when the file gave db1 something else',
    ],
    [
      'services',
      () => judge({ services: [{ name: 'alpha', datasources: [] }] }),
      'was made when the services of the file were others',
    ],
  ])('is another with another %s', (_, found, expected) => {
    expect(found()).toBe(expected)
  })
})

describe('the marks of secrets', () => {
  const cost = { ln: 4, r: 8, p: 1 }
  const reference = (name: string): SecretReference => ({ kind: 'env', name })
  const [admin, monitor] = [reference('ADMIN'), reference('MONITOR')]
  const hosts = ['db1', 'db2'].map((name) =>
    hostConfig({
      name,
      users: [{ user: 'admin', option: 'rest-api-admin-pass', password: admin }],
      monitor: { user: 'monitor', password: monitor },
    }),
  )
  const marks = (password: string, cluster = 'alpha') => {
    const secrets = new Map([
      [admin, new Secret(password)],
      [monitor, new Secret('another')],
    ])
    return secretMarks({ cluster, hosts, secrets, cost })
  }
  const planWith = async (password: string) => {
    const own = await marks(password)
    const two = plan.hosts.flatMap((host) =>
      hosts.map(({ name }) => ({ ...host, host: name, secrets: own.get(name) ?? {} })),
    )
    return { ...plan, hosts: two }
  }

  it('are twelve bits each, the same for the same secret of a cluster', async () => {
    const own = await marks('correct horse')
    expect(own.get('db1')).toEqual({
      'rest-api-admin-pass': expect.stringMatching(/^[\da-f]{3}$/),
      'monitor-password': expect.stringMatching(/^[\da-f]{3}$/),
    })
    expect(own.get('db2')).toEqual(own.get('db1'))
    expect(await marks('correct horse')).toEqual(own)
    expect((await marks('correct horse', 'beta')).get('db1')).not.toEqual(own.get('db1'))
  })

  it('tell which secrets have changed, and on which hosts', async () => {
    const before = await planWith('correct horse')
    expect(changedSecrets(before, await marks('correct horse'))).toBeUndefined()
    expect(changedSecrets(before, await marks('battery staple'))).toBe('rest-api-admin-pass of db1 and db2')
    expect(changedSecrets(before, new Map())).toBe(
      'rest-api-admin-pass of db1 and db2; monitor-password of db1 and db2',
    )
  })
})
