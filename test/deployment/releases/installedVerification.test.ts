import { beforeAll, describe, expect, it } from 'vitest'
import { hashPassword } from '../../../src/accounts/passwordHash.ts'
import type { HostFacts } from '../../../src/deployment/facts/hostFacts.ts'
import { installedVerification } from '../../../src/deployment/releases/installedVerification.ts'
import { emptyState, withUser } from '../../../src/deployment/state/clusterState.ts'
import { Secret } from '../../../src/secrets/secret.ts'
import { hostConfig, hostFacts, installationFacts, serviceSet } from '../../support/deploymentValues.ts'

const salt = Buffer.alloc(16)
const installed = new Secret('the installed')
let facts: HostFacts

beforeAll(async () => {
  const hash = await hashPassword({ password: installed, salt, cost: { ln: 10, r: 8, p: 1 } })
  facts = hostFacts({
    installation: installationFacts({
      chain: 'the chain',
      users: new Secret(JSON.stringify({ version: 1, users: [{ user: 'admin', access: 'full', hash }] })),
      settings: new Map([
        ['manager', { listen: { address: '10.0.0.11', port: 1234 }, fromTheFuture: true }],
        ['replicator', { listen: null }],
      ]),
    }),
  })
})

const proofOf = (options: { given?: Secret; state?: typeof emptyState } = {}) =>
  installedVerification({
    host: hostConfig(),
    facts,
    set: serviceSet(),
    state: options.state ?? emptyState,
    given: new Map(options.given === undefined ? [] : [['admin', options.given]]),
  })

describe('installedVerification', () => {
  it('uses the installed listeners of any version', async () => {
    const { components, authorities } = await proofOf()
    expect(components.map(({ component, settings }) => [component, settings.listen])).toEqual([
      ['manager', { address: '10.0.0.11', port: 1234 }],
      ['connector', null],
      ['replicator', null],
    ])
    expect(components[1]?.settings.socket).toBe('/run/muster-alpha/connector/api.sock')
    expect(authorities).toEqual(['the chain'])
  })

  it('logs in with a password of the file or state that matches the installed hash', async () => {
    const state = withUser(emptyState, 'admin', { salt, password: installed })
    expect((await proofOf({ given: installed })).users).toEqual([{ user: 'admin', password: installed }])
    expect((await proofOf({ state })).users).toEqual([{ user: 'admin', password: installed }])
    // The file's password is not there yet: a login with it would fail in any release.
    expect((await proofOf({ state, given: new Secret('of tomorrow') })).users).toEqual([])
    expect((await proofOf()).users).toEqual([])
  })
})
