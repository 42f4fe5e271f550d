import { describe, expect, it } from 'vitest'
import { type ClusterState, emptyState, withUser } from '../../../src/deployment/state/clusterState.ts'
import { saveState } from '../../../src/deployment/state/openState.ts'
import { requireSharedState } from '../../../src/deployment/state/sharedState.ts'
import { Secret } from '../../../src/secrets/secret.ts'
import { temporaryFolder } from '../../support/temporaryFolder.ts'
import { sampleState } from './sampleState.ts'

const sample = await sampleState()
const place = { directory: '/srv', cluster: 'alpha' }
const check =
  (before: ClusterState, after: ClusterState, shard: string | undefined = '2/5') =>
  () =>
    requireSharedState({ ...place, ...(shard !== undefined && { shard }), before, after })
const password = (word?: string) => ({
  salt: Buffer.alloc(16, 1),
  ...(word !== undefined && { password: new Secret(word) }),
})

describe('a run of one shard', () => {
  it('makes neither an authority nor a password, and says how to get them', () => {
    expect(check(emptyState, sample)).toThrow(
      'a run with --shard 2/5 would make the certificate authority and the password of admin, which all shards share, and /srv/.muster/alpha does not have',
    )
    const changed = withUser(sample, 'admin', password('another'))
    expect(check(sample, changed)).toThrow('would make the password of admin')
  })

  it('makes what belongs to its hosts', () => {
    const { hosts: _, ...rest } = sample
    const without = { ...rest, hosts: new Map(), machines: new Map(), folders: new Map() }
    expect(check(without, sample)).not.toThrow()
    // A password that the file gives is no secret of the state.
    expect(check(sample, withUser(sample, 'new', password()))).not.toThrow()
    expect(check(sample, withUser(sample, 'admin', password()))).not.toThrow()
  })

  it('is refused when it saves, before anything is written', async () => {
    const where = { directory: temporaryFolder(), cluster: 'alpha' }
    const save = (shard?: string) =>
      saveState({ ...where, ...(shard !== undefined && { shard }), before: emptyState, after: sample })
    await expect(save('1/2')).rejects.toMatchObject({
      code: 'shared-by-all',
      fix: expect.stringContaining('muster state export --out FILE') as unknown,
    })
    expect((await save()).written).toContain('authority.key')
  })
})

it('a run of all hosts makes what they share', () => {
  expect(() => requireSharedState({ ...place, before: emptyState, after: sample })).not.toThrow()
})
