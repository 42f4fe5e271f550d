import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { createHasher } from '../../../src/accounts/passwordHash.ts'
import { createAuthority } from '../../../src/certificates/authority.ts'
import { createHostStores, type HostStores } from '../../../src/certificates/hostStores.ts'
import type { ClusterConfig, HostConfig } from '../../../src/config/model.ts'
import type { HostFacts } from '../../../src/deployment/facts/hostFacts.ts'
import { preview } from '../../../src/deployment/hostPlan.ts'
import { installPlan } from '../../../src/deployment/plans/installPlan.ts'
import { prepare, type ResolvedSecrets } from '../../../src/deployment/prepare.ts'
import { type ClusterState, emptyState } from '../../../src/deployment/state/clusterState.ts'
import { decodeState } from '../../../src/deployment/state/decodeState.ts'
import { encodeState } from '../../../src/deployment/state/stateFiles.ts'
import type { Target } from '../../../src/deployment/target.ts'
import type { SecretReference } from '../../../src/secrets/reference.ts'
import { Secret } from '../../../src/secrets/secret.ts'
import { loadText } from '../../config/loadText.ts'
import { hostFacts } from '../../support/deploymentValues.ts'
import { fakeTransport } from '../../support/fakeTransport.ts'
import { propertyRuns } from '../../support/propertyRuns.ts'
import { finishedFacts } from '../steps/target.ts'
import {
  fileOf,
  ownStorePath,
  ownTrustPath,
  storePassword,
  type Variation,
  variations,
} from './variations.ts'

const now = new Date('2026-03-01T12:00:00Z')
const later = new Date('2026-03-02T12:00:00Z')
const addresses = ['10.0.0.11', '192.0.2.7', '2001:db8::7']

let own: HostStores

beforeAll(async () => {
  const secret = new Secret(storePassword)
  own = await createHostStores({
    names: ['db1', 'db2', 'db3'],
    addresses: ['10.0.0.11', '10.0.0.12', '10.0.0.13'],
    authority: await createAuthority({ cluster: 'mine', now }),
    alias: 'tls',
    keystorePassword: secret,
    truststorePassword: secret,
    lifetimeDays: 365,
    now,
  })
})

function configOf(variation: Variation): ClusterConfig {
  const { config, diagnostics } = loadText(fileOf(variation))
  if (config !== undefined) return config
  throw new Error(`${diagnostics.map(({ message }) => message).join('\n')}\n${fileOf(variation)}`)
}

/** A host on which nothing is installed. */
function before(variation: Variation, host: HostConfig): HostFacts {
  const { root, hostNode, stores } = variation
  return hostFacts({
    host: host.name,
    hostname: host.name,
    addresses,
    ...(root ? {} : { uid: 1000, login: 'ops', group: 'ops' }),
    ...(hostNode ? { node: { path: '/usr/bin/node', version: 'v24.1.0', rootOwned: true } } : {}),
    ...(stores === 'on the host'
      ? {
          hostStores: new Map([
            [ownStorePath, own.keystore],
            [ownTrustPath, own.truststore],
          ]),
        }
      : {}),
  })
}

const secretsOf = ({ hosts }: ClusterConfig): ResolvedSecrets =>
  new Map(
    hosts
      .flatMap(({ users, tls, database, monitor }): (SecretReference | undefined)[] => [
        ...users.map(({ password }) => password),
        tls.keystorePassword,
        tls.truststorePassword,
        database?.account?.password,
        monitor?.password,
      ])
      .flatMap((reference) => (reference?.kind === 'literal' ? [[reference, reference.value]] : [])),
  )

/** Decides what the hosts become; the others of the file are left alone. */
async function decide(options: {
  readonly config: ClusterConfig
  readonly facts: ReadonlyMap<string, HostFacts>
  readonly state: ClusterState
  readonly at: Date
  readonly only?: string
}): Promise<{
  readonly targets: readonly Target[]
  readonly state: ClusterState
  readonly notes: readonly string[]
}> {
  const { config, facts, state, at, only } = options
  const chosen = config.hosts.filter(({ name }) => only === undefined || name === only)
  const preparation = await prepare({
    config: { ...config, hosts: chosen },
    excluded: config.hosts.filter((host) => !chosen.includes(host)),
    surveyed: chosen.flatMap((host) => {
      const is = facts.get(host.name)
      const seconds = { connect: 0, facts: 0 }
      return is === undefined
        ? []
        : [{ host, facts: is, transport: fakeTransport({ host: host.name }), seconds }]
    }),
    state,
    secrets: secretsOf(config),
    storeFiles: new Map([
      [ownStorePath, own.keystore],
      [ownTrustPath, own.truststore],
    ]),
    program: {
      version: '1.2.3',
      bundle: Buffer.from('the program'),
      templates: {
        'muster-component.service':
          '{{cluster}} {{component}} {{user}} {{group}} {{installDirectory}} {{capabilities}} {{addresses}} {{protectHome}} {{memoryMax}} {{cpuWeight}} {{tasksMax}} {{oomScoreAdjust}} {{stopSeconds}}',
      },
    },
    ownNode: { path: '/opt/node/bin/node', version: 'v24.1.0' },
    now: at,
    random: randomBytes,
    hash: createHasher({ ln: 4, r: 8, p: 1 }),
  })
  if (!preparation.ok) throw new Error(preparation.problems.map(({ message }) => message).join('\n'))
  // The next run knows what the files of the state directory say, and no more.
  return { ...preparation, state: decodeState(encodeState(preparation.state), '.muster/alpha') }
}

/** Addresses as the host may tell them another time. */
const turned = (facts: HostFacts): HostFacts => ({ ...facts, addresses: [...facts.addresses].reverse() })

const changesOf = (target: Target): readonly string[] =>
  preview(installPlan({ target, packed: () => undefined }), target.facts).flatMap(({ change }) => [
    `${target.host.name}: ${change.summary}`,
    ...change.details,
  ])

describe('a second plan after an installation', () => {
  it('is empty for any file and any previous state of the hosts', async () => {
    await fc.assert(
      fc.asyncProperty(variations, async (variation) => {
        const config = configOf(variation)
        const facts = new Map(config.hosts.map((host) => [host.name, before(variation, host)]))
        let state = emptyState
        const parts = variation.apart ? config.hosts.map(({ name }) => ({ only: name })) : [{}]
        for (const part of parts) {
          const first = await decide({ config, facts, state, at: now, ...part })
          for (const target of first.targets) {
            expect(changesOf(target).length).toBeGreaterThan(5)
            facts.set(target.host.name, turned(finishedFacts(target)))
          }
          state = first.state
        }
        const second = await decide({ config, facts, state, at: later })
        expect(second.targets).toHaveLength(config.hosts.length)
        expect(second.targets.flatMap(changesOf)).toEqual([])
        expect(second.notes).toEqual([])
      }),
      { numRuns: propertyRuns(25) },
    )
  })
})
