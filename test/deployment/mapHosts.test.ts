import { expect, it } from 'vitest'
import { createHasher } from '../../src/accounts/passwordHash.ts'
import { HostText } from '../../src/base/hostText.ts'
import { inspectCertificates } from '../../src/commands/cert/surveyCertificates.ts'
import { checkSurveyed } from '../../src/commands/check.ts'
import { inspectUsers } from '../../src/commands/users/surveyUsers.ts'
import { emptyState } from '../../src/deployment/state/clusterState.ts'
import { refreshSurvey, type Survey } from '../../src/deployment/survey.ts'
import { observeCluster } from '../../src/session/observeCluster.ts'
import { commandContext } from '../config/commandContext.ts'
import { finishedFacts, targetOf } from './steps/target.ts'

/** Six installed hosts, on which every script fails, and how many of them run one at a time at most. */
function installedHosts() {
  let working = 0
  let most = 0
  const run = async () => {
    working += 1
    most = Math.max(most, working)
    // Long enough for others to begin, were they allowed to.
    for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate)
    working -= 1
    return { code: 1, stdout: new HostText(''), stderr: new HostText('') }
  }
  const reached = Array.from({ length: 6 }, (_, index) => {
    const target = targetOf({ host: { name: `db${index + 1}` } })
    const { host } = target
    const transport = { host: host.name, run, upload: async () => void (await run()), close: async () => {} }
    return { host, transport, facts: finishedFacts(target), seconds: { connect: 0, facts: 0 } }
  })
  const survey: Survey = { reached, unreachable: [] }
  const hosts = reached.map(({ host }) => host)
  const config = { cluster: 'alpha', directory: '/nowhere', services: [], hosts, excluded: [] }
  return { survey, config, most: () => most }
}

type Installed = ReturnType<typeof installedHosts>
const now = new Date('2026-01-01T00:00:00Z')
const state = emptyState
const stores = { files: new Map(), passwords: new Map(), failures: new Map() }

it.each<[string, (hosts: Installed, forks: number) => Promise<unknown>]>([
  [
    'facts are read again',
    ({ config, survey }, forks) => refreshSurvey(config, { survey, emit: () => {}, forks }),
  ],
  [
    'components are asked',
    ({ config, survey }, forks) =>
      observeCluster({ context: { now: () => now, forks }, config, state, survey }),
  ],
  [
    'users are read',
    ({ config, survey }, forks) =>
      inspectUsers(survey, { config, state, given: new Map(), hash: createHasher(), logins: true, forks }),
  ],
  [
    'certificates are read',
    ({ survey }, forks) => inspectCertificates(survey, { state, stores, now, forks }),
  ],
  [
    'checks look',
    ({ config, survey }, forks) =>
      checkSurveyed({
        ...{ config, survey, stores, context: { ...commandContext({}).context, forks } },
        machines: { recorded: new Map(), replaced: [], folders: new Map() },
        placeOfMaster: () => 'muster.yaml:1',
      }),
  ],
])('no more than --forks hosts are at work while their %s', async (_, work) => {
  const hosts = installedHosts()
  await work(hosts, 2)
  expect(hosts.most()).toBe(2)
})
