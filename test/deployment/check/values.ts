import type { ClusterConfig, HostConfig } from '../../../src/config/model.ts'
import { checks } from '../../../src/deployment/check/checks.ts'
import type { Observations } from '../../../src/deployment/check/observations.ts'
import type { Subject, Surroundings } from '../../../src/deployment/check/subject.ts'
import type { Verdict } from '../../../src/deployment/check/verdict.ts'
import type { HostFacts } from '../../../src/deployment/facts/model.ts'
import { hostConfig, hostFacts } from '../../support/deploymentValues.ts'

/** A Debian host whose clock is right and that knows no name. */
export const observations = (changes: Partial<Observations> = {}): Observations => ({
  clockOffset: 0,
  libc: 'glibc 2.36',
  resolved: new Map(),
  hostsFile: '127.0.0.1 localhost\n',
  leftovers: [],
  ...changes,
})

/** A fresh host db1 on which nothing is wrong. */
export const subject = (
  changes: {
    readonly host?: Partial<HostConfig>
    readonly facts?: Partial<HostFacts>
    readonly seen?: Partial<Observations>
  } = {},
): Subject => ({
  host: hostConfig(changes.host),
  facts: hostFacts({ host: changes.host?.name ?? 'db1', ...changes.facts }),
  seen: observations(changes.seen),
})

export const clusterConfig = (hosts: readonly HostConfig[]): ClusterConfig => ({
  cluster: 'alpha',
  directory: '/operator',
  hosts,
  services: [],
})

export const surroundings = (
  subjects: readonly Subject[],
  changes: Partial<Surroundings> = {},
): Surroundings => ({
  config: clusterConfig(subjects.map(({ host }) => host)),
  subjects,
  stores: { files: new Map(), passwords: new Map(), failures: new Map() },
  machines: { recorded: new Map(), folders: new Map(), replaced: [] },
  ownNode: { path: '/usr/bin/node', version: 'v24.1.0' },
  now: new Date('2026-03-01T12:00:00Z'),
  ...changes,
})

/** What one check says of the first of the hosts. */
export function verdicts(
  id: string,
  subjects: readonly [Subject, ...Subject[]],
  changes: Partial<Surroundings> = {},
): readonly Verdict[] {
  const found = checks.find((check) => check.id === id)
  if (found === undefined) throw new Error(`no check ${id}`)
  return found.judge(subjects[0], surroundings(subjects, changes))
}
