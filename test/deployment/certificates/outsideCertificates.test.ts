import { describe, expect, it } from 'vitest'
import { openStores } from '../../../src/certificates/checkStores.ts'
import { generatePassword } from '../../../src/certificates/password.ts'
import { certificatesOf } from '../../../src/certificates/pem.ts'
import { importOutside } from '../../../src/deployment/certificates/outsideCertificates.ts'
import { generatedStores } from '../../../src/deployment/desired/generatedStores.ts'
import { type ClusterState, withStorePasswords } from '../../../src/deployment/state/clusterState.ts'
import { decodeState } from '../../../src/deployment/state/decodeState.ts'
import { encodeState } from '../../../src/deployment/state/stateFiles.ts'
import { outsideAuthority, outsideChain } from '../../certificates/outside.ts'
import { hostConfig, hostFacts } from '../../support/deploymentValues.ts'
import { madeState } from '../../support/madeState.ts'

const now = new Date('2026-03-10T12:00:00Z')
const later = new Date('2026-06-20T12:00:00Z')
const passwords = { keystore: generatePassword(), truststore: generatePassword() }
const root = await outsideAuthority('corp', now)
const hosts = [hostConfig(), hostConfig({ name: 'db2', address: '10.0.0.12' })] as const

const before = await madeState({ hosts, now, passwords })
const { authority } = before
if (authority === undefined) throw new Error('no authority')

function imported() {
  const key = before.hosts.get('db1')?.key
  if (key === undefined) throw new Error('no key')
  const pem = outsideChain({ by: root, key, name: 'db1', address: '10.0.0.11', now })
  const found = importOutside({ state: before, host: hosts[0], pem, now })
  if (found === undefined) throw new Error('no host')
  return { ...found, pem }
}

const storesOf = (
  state: ClusterState,
  at: 0 | 1,
  more: { renew?: boolean; ownAuthority?: boolean; now?: Date } = {},
) =>
  generatedStores({
    host: hosts[at],
    facts: hostFacts({ hostname: hosts[at].name }),
    state,
    authority,
    given: {},
    now,
    ...more,
  })

const trustedIn = (truststore: Buffer | undefined, state: ClusterState) => {
  const kept = state.hosts.get('db1')
  const opened = openStores({
    keystore: kept?.keystore ?? Buffer.alloc(0),
    keystorePassword: passwords.keystore,
    truststore: truststore ?? Buffer.alloc(0),
    truststorePassword: passwords.truststore,
    alias: 'tls',
    names: ['db1'],
    now,
    warningDays: 0,
  })
  return opened.ok
    ? opened.authorities.map((pem) => certificatesOf(pem)?.[0]?.subject).sort()
    : opened.problems
}

const both = ['CN=muster alpha authority', 'CN=muster corp authority']

describe('a certificate of an outside authority', () => {
  it('is deployed by the next installation, with both authorities in every truststore', async () => {
    const { state, pem } = imported()
    const own = await storesOf(state, 0)
    expect(own.stores.chain).toBe(pem)
    expect(own).not.toHaveProperty('issued')
    expect(own.state).toBe(state)
    expect(trustedIn(own.stores.files.get('truststore.p12'), state)).toEqual(both)
    const other = await storesOf(state, 1)
    expect(other).not.toHaveProperty('issued')
    expect(other.stores.chain).toBe(before.hosts.get('db2')?.chain)
    expect(trustedIn(other.stores.files.get('truststore.p12'), state)).toEqual(both)
    // Once kept, a second run changes nothing.
    expect((await storesOf(other.state, 1)).state).toBe(other.state)
  })

  it('is never renewed, only packed again', async () => {
    const { state, pem } = imported()
    expect((await storesOf(state, 0, { renew: true })).stores.chain).toBe(pem)
    const soon = await storesOf(state, 0, { now: new Date('2026-06-01T12:00:00Z') })
    expect(soon.stores.chain).toBe(pem)
    const locked = await storesOf(
      withStorePasswords(state, { ...passwords, keystore: generatePassword() }),
      0,
    )
    expect(locked.state.hosts.get('db1')).toMatchObject({
      outside: root.certificate,
      chain: pem,
    })
  })

  it('makes an installation fail once it has expired', async () => {
    await expect(storesOf(imported().state, 0, { now: later })).rejects.toMatchObject({
      code: 'outside-expired',
      message: 'the certificate of db1, which CN=muster corp authority signed, expired on 2026-06-08',
      fix: "Have another one signed: `muster cert csr --host db1`, then `muster cert import`. Or go back to the cluster's own authority: `muster cert renew --own-authority --host db1`.",
    })
  })

  it('is replaced by one of the cluster on request and kept until that is verified', async () => {
    const { state } = imported()
    for (const at of [now, later]) {
      const own = await storesOf(state, 0, { ownAuthority: true, now: at })
      expect(own.issued).toBe('is of an outside authority')
      expect(certificatesOf(own.stores.chain)?.[0]?.issuer).toBe('CN=muster alpha authority')
      expect(own.stores.key.reveal()).not.toBe(state.hosts.get('db1')?.key.reveal())
      // Other hosts still show certificates of the outside authority.
      expect(own.stores.authorities).toEqual([authority.certificate, root.certificate])
      expect(own.state).toBe(state)
      expect(own.onceProved).not.toHaveProperty('outside')
      expect(own.onceProved).toMatchObject({ chain: own.stores.chain, key: own.stores.key })
    }
    expect(await storesOf(state, 1, { ownAuthority: true })).not.toHaveProperty('onceProved')
  })

  it('is read from the state directory, where damage is reported', () => {
    const { state } = imported()
    const files = encodeState(state)
    expect(decodeState(files, 'state').hosts.get('db1')).toMatchObject({ outside: root.certificate })
    expect(decodeState(files, 'state').hosts.get('db2')).not.toHaveProperty('outside')
    const damaged = new Map(files).set('hosts/db1/outside.pem', Buffer.from('no'))
    expect(() => decodeState(damaged, 'state')).toThrow(
      'hosts/db1/outside.pem in state contains no certificate',
    )
  })
})
