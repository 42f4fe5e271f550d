import type { ClusterConfig, HostConfig } from '../../../src/config/model.ts'
import type { HostFacts } from '../../../src/deployment/facts/hostFacts.ts'
import type { CheckContext, Subject, Verdict } from '../../../src/deployment/preflight/checkContract.ts'
import { runCheck } from '../../../src/deployment/preflight/checkHosts.ts'
import { checks } from '../../../src/deployment/preflight/checks.ts'
import type { Observations } from '../../../src/deployment/preflight/observe.ts'
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
    readonly observed?: Partial<Observations>
  } = {},
): Subject => ({
  cluster: 'alpha',
  host: hostConfig(changes.host),
  facts: hostFacts({ host: changes.host?.name ?? 'db1', ...changes.facts }),
  observed: observations(changes.observed),
})

export const clusterConfig = (hosts: readonly HostConfig[]): ClusterConfig => ({
  cluster: 'alpha',
  directory: '/operator',
  hosts,
  services: [],
})

export const checkContext = (
  subjects: readonly Subject[],
  changes: Partial<CheckContext> = {},
): CheckContext => ({
  config: clusterConfig(subjects.map(({ host }) => host)),
  subjects,
  placeOfMaster: () => 'muster.yaml:4',
  stores: { files: new Map(), passwords: new Map(), failures: new Map() },
  machines: { recorded: new Map(), folders: new Map(), replaced: [] },
  ownNode: { path: '/usr/bin/node', version: 'v24.1.0' },
  now: new Date('2026-03-01T12:00:00Z'),
  ...changes,
})

/** Verdicts of one check for the first of the hosts. */
export function verdicts(
  id: string,
  subjects: readonly [Subject, ...Subject[]],
  changes: Partial<CheckContext> = {},
): readonly Verdict[] {
  const check = checks.find((one) => one.id === id)
  if (check === undefined) throw new Error(`no check ${id}`)
  return runCheck({ check, subject: subjects[0], context: checkContext(subjects, changes) })
}

/** The same verdicts as one text each: `warning: its reason`. */
export const reasons = (...of: Parameters<typeof verdicts>): readonly string[] =>
  verdicts(...of).map(({ result, reason }) => `${result}: ${reason}`)
