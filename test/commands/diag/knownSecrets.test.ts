import { expect, it } from 'vitest'
import { knownSecrets } from '../../../src/commands/diag/knownSecrets.ts'
import { emptyState, withStorePasswords, withUser } from '../../../src/deployment/state/clusterState.ts'
import { saveState } from '../../../src/deployment/state/openState.ts'
import { Secret } from '../../../src/secrets/secret.ts'
import { commandContext } from '../../config/commandContext.ts'
import { hostConfig } from '../../support/deploymentValues.ts'
import { temporaryFolder } from '../../support/temporaryFolder.ts'

it('a bug report redacts the secrets of the file and of the state, also those of unfinished rotations', async () => {
  const place = { directory: temporaryFolder(), cluster: 'alpha' }
  const stores = { keystore: new Secret('of the keystore'), truststore: new Secret('of the truststore') }
  const user = {
    salt: Buffer.alloc(16, 1),
    password: new Secret('new'),
    pending: [new Secret('old'), new Secret('older')],
  }
  const state = withUser(withStorePasswords(emptyState, stores), 'admin', user)
  await saveState({ ...place, before: emptyState, after: state })
  const host = hostConfig({
    users: [
      { user: 'app', option: 'rest-api-users', access: 'full', password: { kind: 'env', name: 'APP_PASS' } },
    ],
  })
  const { context } = commandContext({ env: { APP_PASS: 'of the file' } })
  const found = await knownSecrets(context, { ...place, services: [], hosts: [host] })
  expect(found.map((secret) => secret.reveal())).toEqual([
    'of the file',
    'of the keystore',
    'of the truststore',
    'new',
    'old',
    'older',
  ])
})
