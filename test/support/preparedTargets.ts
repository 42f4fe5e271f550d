import { expect } from 'vitest'
import { createHasher } from '../../src/accounts/passwordHash.ts'
import type { ClusterConfig } from '../../src/config/model.ts'
import type { HostFacts } from '../../src/deployment/facts/hostFacts.ts'
import { prepare } from '../../src/deployment/prepare.ts'
import { type ClusterState, emptyState } from '../../src/deployment/state/clusterState.ts'
import type { Target } from '../../src/deployment/target.ts'
import { resolveSecrets } from '../../src/session/resolveSecrets.ts'
import { commandContext } from '../config/commandContext.ts'
import { loadText } from '../config/loadText.ts'
import { hostFacts } from './deploymentValues.ts'
import { fakeTransport } from './fakeTransport.ts'

/** Returns what every host of a file must become, from the text to the values, and the state afterwards. */
export async function preparedTargets(options: {
  readonly yaml: string
  readonly env?: Readonly<Record<string, string>>
  readonly state?: ClusterState
  /** Facts of the hosts; absent: fresh hosts. */
  readonly facts?: (host: string) => HostFacts | undefined
}): Promise<{ readonly targets: ReadonlyMap<string, Target>; readonly state: ClusterState }> {
  const { yaml, env = {}, state = emptyState } = options
  const loaded = { ...loadText(yaml), combined: false, missing: false }
  const { config, diagnostics } = loaded
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
  const opened = { config: { ...(config as ClusterConfig), excluded: [] }, loaded }
  const secrets = await resolveSecrets(commandContext({ env }).context, opened)
  if (typeof secrets === 'number') throw new Error('the secrets of the file are no good')
  const result = await prepare({
    config: config as ClusterConfig,
    surveyed: (config?.hosts ?? []).map((host) => ({
      host,
      facts:
        options.facts?.(host.name) ??
        hostFacts({ host: host.name, hostname: host.name, addresses: [host.address] }),
      transport: fakeTransport({}),
      seconds: { connect: 0, facts: 0 },
    })),
    state,
    secrets,
    storeFiles: new Map(),
    program: {
      version: '1.2.3',
      bundle: Buffer.from('the program'),
      templates: {
        'muster-component.service':
          '{{cluster}} {{component}} {{user}} {{group}} {{installDirectory}} {{capabilities}} {{addresses}} {{protectHome}} {{memoryMax}} {{cpuWeight}} {{tasksMax}} {{oomScoreAdjust}} {{stopSeconds}}',
      },
    },
    ownNode: { path: '/usr/bin/node', version: 'v22.1.0' },
    now: new Date('2026-01-01T00:00:00Z'),
    random: (size) => Buffer.alloc(size, 7),
    hash: createHasher({ ln: 4, r: 8, p: 1 }),
  })
  if (!result.ok) throw new Error(result.problems.map(({ message }) => message).join('\n'))
  return { state: result.state, targets: new Map(result.targets.map((target) => [target.host.name, target])) }
}
