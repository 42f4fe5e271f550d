import { expect, it } from 'vitest'
import { startHashing } from '../../src/deployment/installedUsers.ts'
import { emptyState, withUser } from '../../src/deployment/state/clusterState.ts'
import { Secret } from '../../src/secrets/secret.ts'

it('startHashing hashes each password with a known salt and leaves failures to the later caller', async () => {
  const salt = Buffer.alloc(16, 7)
  const state = withUser(emptyState, 'admin', { salt })
  const given = new Map([['db1', new Map(['admin', 'ops'].map((user) => [user, new Secret(`of ${user}`)]))]])
  const asked: unknown[] = []
  const hash = async (password: Secret, with_: Buffer): Promise<string> => {
    asked.push([password.reveal(), with_])
    throw new Error('no memory')
  }
  startHashing(hash, given, state)
  startHashing(hash, given, undefined)
  // An unhandled rejection would fail the run.
  await new Promise((done) => setImmediate(done))
  expect(asked).toEqual([['of admin', salt]])
})
