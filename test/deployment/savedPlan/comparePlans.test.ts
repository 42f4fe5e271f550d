import { describe, expect, it } from 'vitest'
import type { HostFacts } from '../../../src/deployment/facts/model.ts'
import { comparePlans } from '../../../src/deployment/savedPlan/comparePlans.ts'
import { madeAtInstall, type SavedPlan } from '../../../src/deployment/savedPlan/savedPlan.ts'
import { emptyState, withHost } from '../../../src/deployment/state/clusterState.ts'
import { Secret } from '../../../src/secrets/secret.ts'
import { finishedFacts, targetOf } from '../steps/target.ts'
import { saved } from './values.ts'

const target = targetOf()
const finished = finishedFacts(target)
const compare = (was: SavedPlan, is: SavedPlan) => comparePlans(was, is)[0]
const finishedBut = (changes: Partial<HostFacts['installation']>): HostFacts => ({
  ...finished,
  installation: { ...finished.installation, ...changes },
})

describe('a host since its plan was saved', () => {
  it('has not moved where nothing has happened, whatever changes by itself', () => {
    const busy = finishedBut({ freeBytes: 17 })
    const listening = { ...busy, listeners: [{ address: '0.0.0.0', port: 22 }] }
    expect(compare(saved(target, { facts: finished }), saved(target, { facts: listening }))).toEqual({
      host: 'db1',
      moved: [],
      touched: false,
    })
  })

  it('has not moved before a first installation, whose certificates are made then', () => {
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
      'otherwise: share/tls/keystore.p12 would be made anew',
      'otherwise: share/tls/key.pem would be made anew',
      'otherwise: share/tls/chain.pem would be made anew',
    ])
  })

  it('was touched where something else was changed there', () => {
    const users = new Secret('{"version":1,"users":[]}')
    const one = saved(target, { facts: finishedBut({ currentRelease: 'old' }) })
    const other = saved(target, { facts: finishedBut({ currentRelease: 'old', madeUser: 'other' }) })
    expect(compare(one, other)).toEqual({ host: 'db1', moved: [], touched: true })
    expect(
      compare(saved(target, { facts: finished }), saved(target, { facts: finishedBut({ users }) })),
    ).toEqual({ host: 'db1', moved: ['new: create the administrator admin'], touched: true })
  })

  it('has moved where steps appeared, vanished or changed', () => {
    const settings = new Map(finished.installation.settings).set('manager', '{"listen":{"port":1}}')
    const files = new Map(finished.installation.files)
    const path = target.layout.settings('manager')
    files.set(path, { sha256: '0'.repeat(64), mode: 0o644, owner: 'root:root' })
    const was = saved(target, { facts: finishedBut({ settings, files, runtimes: [] }) })
    const services = new Map(finished.services).set('manager', { state: 'stopped', enabled: true })
    const other = new Map(settings).set('manager', '{"listen":{"port":2}}')
    const is = saved(target, { facts: { ...finishedBut({ settings: other, files }), services } })
    expect(compare(was, is)?.moved).toMatchInlineSnapshot(`
      [
        "no longer needed: send the runtime node-24.0.0-0123456789ab",
        "otherwise: write settings",
        "  - manager-rest-api-port: 1 → 8090",
        "  + manager-rest-api-port: 2 → 8090",
        "new: start manager",
      ]
    `)
  })

  it('has moved where the same line means another file', () => {
    const one = targetOf({ host: { tls: { ...target.host.tls, keystorePath: '/k', truststorePath: '/t' } } })
    const other = {
      ...one,
      tls: one.tls.map((file) =>
        file.path.endsWith('keystore.p12') ? { ...file, sha256: 'f'.repeat(64) } : file,
      ),
    }
    expect(compare(saved(one), saved(other))?.moved).toEqual([
      'otherwise: share/tls/keystore.p12 would be another file than planned',
    ])
  })

  it('is another machine', () => {
    const machineId = 'f'.repeat(32)
    const other = saved(target, { facts: { ...target.facts, machineId } })
    expect(compare(saved(target), other)?.moved).toEqual(['another machine answers at 10.0.0.11'])
    expect(JSON.stringify(other)).not.toContain(machineId)
  })

  it('shows no more than a few lines of a long difference', () => {
    const [host] = saved(target).hosts
    if (host === undefined) throw new Error('no host')
    const of = (words: readonly string[]): SavedPlan => ({
      ...saved(target),
      hosts: [{ ...host, steps: [{ id: 'a', phase: 'commit', summary: 'write', details: words }] }],
    })
    const numbers = Array.from({ length: 5 }, (_, index) => `line ${index}`)
    expect(compare(of(numbers), of(numbers.map((line) => `${line}!`)))?.moved).toEqual([
      'otherwise: write',
      ...numbers.map((line) => `  - ${line}`),
      '  + line 0!',
      '  and 4 lines more',
    ])
  })
})
