import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { startServer } from '../../../src/api/startServer.ts'
import { createAuthority } from '../../../src/certificates/authority.ts'
import { createHostStores } from '../../../src/certificates/hostStores.ts'
import { generatePassword } from '../../../src/certificates/password.ts'
import { componentApis } from '../../../src/components/componentApis.ts'
import { fetchAt, portOf } from '../../support/https.ts'
import { testCost } from '../../support/testApi.ts'
import { settingsIn } from '../../support/testServer.ts'

/** A truststore as muster makes it, for clients in Java. */
export type Truststore = { readonly file: string; readonly password: string }

/** A server with stores and certificate as an installation makes them, and the user admin. */
export type CertifiedServer = {
  readonly port: number
  readonly folder: string
  /** PEM file of the authority. */
  readonly authority: string
  readonly truststore: Truststore
  /** That of another cluster. */
  readonly otherTruststore: Truststore
  readonly password: string
  readonly stop: () => Promise<void>
}

/** Starts a manager at a free port of 127.0.0.1. */
export async function startCertifiedServer(): Promise<CertifiedServer> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-certified-'))
  const now = new Date()
  const password = `pässword'"\\$#%:@`
  async function issue(cluster: string) {
    const authority = await createAuthority({ cluster, now })
    const locks = {
      alias: 'tls',
      keystorePassword: generatePassword(),
      truststorePassword: generatePassword(),
    }
    const names = { names: ['db1'], addresses: ['127.0.0.1'] }
    const stores = await createHostStores({ authority, ...names, ...locks, lifetimeDays: 365, now })
    const file = join(folder, `${cluster}.p12`)
    writeFileSync(file, stores.truststore, { mode: 0o600 })
    return { authority, stores, truststore: { file, password: locks.truststorePassword.reveal() } }
  }
  const [own, other] = await Promise.all([issue('alpha'), issue('beta')])
  const authority = join(folder, 'authority.crt')
  writeFileSync(authority, own.authority.certificate)
  writeFileSync(join(folder, 'key.pem'), own.stores.key.reveal(), { mode: 0o600 })
  writeFileSync(join(folder, 'chain.pem'), own.stores.chain)
  const server = await startServer({
    settings: settingsIn(folder),
    api: componentApis.manager,
    version: '1.2.3',
    log: pino({ level: 'silent' }),
    cost: testCost,
  })
  const created = await fetchAt(
    { port: portOf(server), ca: own.authority.certificate },
    {
      path: '/api/v2/createAdminUser?i-am-sure=true',
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ payloadType: 'credentials', user: 'admin', pass: password }),
    },
  )
  if (created.status !== 200) throw new Error(`the user was not created: ${created.body}`)
  return {
    port: portOf(server),
    folder,
    authority,
    truststore: own.truststore,
    otherTruststore: other.truststore,
    password,
    stop: async () => {
      await server.stop()
      rmSync(folder, { recursive: true })
    },
  }
}
