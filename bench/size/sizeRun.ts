import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { createHasher } from '../../src/accounts/passwordHash.ts'
import { execute } from '../../src/deployment/execution/execute.ts'
import { noHostHooks } from '../../src/deployment/execution/hostHooks.ts'
import { recordedMachines } from '../../src/deployment/hostIdentity.ts'
import { prepare } from '../../src/deployment/prepare.ts'
import { readServerProgram } from '../../src/deployment/serverProgram.ts'
import { emptyState } from '../../src/deployment/state/clusterState.ts'
import { openState, readState, saveState } from '../../src/deployment/state/openState.ts'
import { allFacts, surveyHosts } from '../../src/deployment/survey.ts'
import { verifyHost } from '../../src/deployment/verifyHost.ts'
import { planText } from '../../src/output/deployment/plan.ts'
import { decideInstall } from '../../src/session/install/decideInstall.ts'
import { openCluster } from '../../src/session/openCluster.ts'
import { resolveSecrets } from '../../src/session/resolveSecrets.ts'
import { commandContext } from '../../test/config/commandContext.ts'
import { hostFacts } from '../../test/support/deploymentValues.ts'
import { largeCluster, simulatedHost } from './largeCluster.ts'
import { savedHosts, saveHosts } from './madeHosts.ts'

/** Megabytes that this process has held at most (proc(5)). */
const peak = (): number =>
  Math.round(Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1024)

async function open(folder: string) {
  const { context } = commandContext({
    cwd: folder,
    env: { HOME: folder },
    now: () => new Date(),
    packageDirectory: process.cwd(),
  })
  const opened = await openCluster({
    context,
    files: ['large.yaml'],
    set: [],
    targets: { hosts: [], services: [] },
  })
  return { context, opened, config: opened.config, secrets: await resolveSecrets(context, opened) }
}

/** Installs in memory: certificates, state, and the facts of hosts that are all that was wanted. */
export async function makeLarge(
  folder: string,
  cluster: { readonly count: number; readonly databases: boolean },
): Promise<void> {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'large.yaml'), largeCluster(cluster))
  const { config, secrets, context } = await open(folder)
  const program = await readServerProgram(process.cwd(), context.version)
  const surveyed = config.hosts.map((host, index) => {
    const machineId = (index + 1).toString(16).padStart(32, '0')
    const facts = hostFacts({ host: host.name, hostname: host.name, machineId, addresses: [host.address] })
    return { host, facts }
  })
  const done = await prepare({
    config,
    surveyed,
    state: emptyState,
    secrets,
    storeFiles: new Map(),
    program,
    ownNode: { path: process.execPath, version: process.version },
    now: new Date(),
    random: randomBytes,
    hash: createHasher(),
  })
  if (!done.ok) throw new Error(done.problems.map(({ message }) => message).join('\n'))
  const { state } = await openState(config)
  await saveState({ ...config, before: state, after: done.state })
  saveHosts(folder, done.targets)
}

/** A run without a change: survey, decision, plan, and the verification of every login. */
export async function runLarge(folder: string, options: { readonly forks?: number; readonly delay: number }) {
  const began = performance.now()
  const { config, secrets, context } = await open(folder)
  const { state = emptyState } = (await readState(config)) ?? {}
  const opened = peak()
  const printed = savedHosts(folder)
  const program = await readServerProgram(process.cwd(), context.version)
  // From here on, connections are open.
  const turns = monitorEventLoopDelay()
  turns.enable()
  const survey = await surveyHosts({
    config,
    scope: allFacts,
    connect: async ({ name }) =>
      simulatedHost(name, { delay: options.delay, facts: (nonce) => printed(name, nonce) }),
    forks: options.forks,
    emit: () => {},
    machines: recordedMachines(state),
    clock: () => performance.now(),
  })
  const surveyed = peak()
  const at = performance.now()
  const decision = await decideInstall({
    context,
    config,
    secrets,
    state,
    survey,
    release: undefined,
    packed: () => undefined,
    sources: {
      program,
      runtimeFile: undefined,
      storeFiles: new Map(),
      ownNode: { path: process.execPath, version: process.version },
    },
  })
  if ('failed' in decision) throw new Error(JSON.stringify(decision.failed[0]))
  const { planned, preparation } = decision
  const plans = planned.map(({ plan }) => plan)
  const text = planText({ cluster: config.cluster, notes: preparation.notes, plans, colour: false })
  if (!text.includes('nothing to do')) throw new Error(text.slice(0, 4000))
  const decided = { seconds: (performance.now() - at) / 1000, megabytes: peak() }
  const outcomes = await execute({
    hosts: planned.map(({ plan, target, transport }) => ({
      ...plan,
      transport,
      verify: () => verifyHost(transport, target),
    })),
    hooks: noHostHooks,
    forks: options.forks,
    emit: () => {},
    signal: new AbortController().signal,
    clock: () => performance.now(),
  })
  const wrong = outcomes.find(({ result }) => result !== 'unchanged')
  if (wrong !== undefined) throw new Error(JSON.stringify(wrong))
  return {
    hosts: outcomes.length,
    forks: options.forks ?? 30,
    delay: options.delay,
    seconds: Math.round((performance.now() - began) / 100) / 10,
    decideSeconds: Math.round(decided.seconds * 10) / 10,
    longestTurnSeconds: Math.round(turns.max / 1e7) / 100,
    megabytes: { opened, surveyed, decided: decided.megabytes, most: peak() },
  }
}
