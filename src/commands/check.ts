import { isConfirmed, requireConfirmation } from '../cli/ask.ts'
import { type Define, flag } from '../cli/command.ts'
import type { CommandContext } from '../cli/context.ts'
import { type ExitCode, exitCodes, exitOfHosts } from '../cli/exitCodes.ts'
import { Interrupted } from '../cli/interrupted.ts'
import { colourOf, textWidth } from '../cli/terminal.ts'
import { UsageError } from '../cli/usageError.ts'
import { tryInstalledDatabases } from '../deployment/databaseAccounts.ts'
import type { LoadedStores } from '../deployment/desired/userProvidedStores.ts'
import { failureOf, isUnreachable } from '../deployment/hostFailure.ts'
import type { RecordedMachines } from '../deployment/hostIdentity.ts'
import { preview } from '../deployment/hostPlan.ts'
import { mapHosts } from '../deployment/mapHosts.ts'
import type { Subject } from '../deployment/preflight/checkContract.ts'
import { checkHosts, type HostChecks } from '../deployment/preflight/checkHosts.ts'
import { namesToResolve } from '../deployment/preflight/namesCheck.ts'
import { observe } from '../deployment/preflight/observe.ts'
import { localMariadbPort } from '../deployment/preflight/readOnlyCheck.ts'
import { remedySteps } from '../deployment/preflight/remedies.ts'
import { readOwnNode } from '../deployment/runtime/ownNode.ts'
import { machinesOf } from '../deployment/state/openState.ts'
import { allFacts, closeAll, type Survey, surveyHosts, type UnreachableHost } from '../deployment/survey.ts'
import { tryInstalledChannels } from '../deployment/triedChannels.ts'
import { checksJson, checksText } from '../output/deployment/checks.ts'
import { chooseRenderer } from '../session/chooseRenderer.ts'
import { runOnFiles, targetOptions } from '../session/clusterOptions.ts'
import { connectHost, prepareConnections } from '../session/connectHost.ts'
import { type ClusterOptions, type OpenedCluster, openCluster } from '../session/openCluster.ts'
import { readStoreSecrets, readUserProvidedStores } from '../session/readUserProvidedStores.ts'
import { placesOfMasters } from '../session/reportFindings.ts'
import { lockWaitGiven, lockWaitOption } from '../session/runOptions.ts'
import { runSteps } from '../session/runSteps.ts'
import { namesOf, type SelectedCluster, withAllHosts } from '../session/selectTargets.ts'
import { withHosts } from '../session/withHosts.ts'

export const checkCommand: Define = (made, world) =>
  runOnFiles(
    lockWaitOption(
      targetOptions(made)
        .option('--json', 'print all results as JSON')
        .option('--strict', 'count warnings as failures')
        .option('--fix', 'fix what is safe to fix, then check again')
        .option('-y, --yes', 'fix without asking'),
    ),
    world,
    (options) =>
      check({
        ...options,
        json: flag(made, 'json'),
        strict: flag(made, 'strict'),
        fix: flag(made, 'fix'),
        yes: flag(made, 'yes'),
        lockWait: lockWaitGiven(made),
      }),
  )

/**
 * Fixes the findings that muster can fix by itself, after confirmation, as a run with locks and a record. Returns
 * `nothing` if there are none, and an exit code if the run failed.
 */
async function fixFindings(options: {
  readonly context: CommandContext
  readonly config: SelectedCluster
  readonly found: readonly HostChecks[]
  readonly yes: boolean
  readonly lockWait: number
}): Promise<'done' | 'nothing' | ExitCode> {
  const { context, found, yes } = options
  const { stdout, stderr } = context
  const remedies = new Map(found.map((one) => [one.host, remedySteps(one)]))
  const hosts = options.config.hosts.filter(({ name }) => (remedies.get(name)?.length ?? 0) > 0)
  if (hosts.length === 0) {
    stdout.write('\nThere is nothing that muster can fix by itself.\n')
    return 'nothing'
  }
  const lines = hosts.flatMap(
    ({ name }) => remedies.get(name)?.map(({ title }) => `  ${name}: ${title}`) ?? [],
  )
  stdout.write(`\nmuster can fix by itself:\n${lines.join('\n')}\n`)
  if (!(await isConfirmed(context, { yes, question: 'Go on?' }))) {
    stderr.write('Nothing was changed.\n')
    return exitCodes.failed
  }
  const exit = await withHosts({
    scope: allFacts,
    context,
    config: { ...options.config, hosts },
    json: false,
    yes,
    operation: 'check --fix',
    lockWait: options.lockWait,
    requires: 'none',
    work: (session) => {
      const work = session.survey.reached.map(({ host, transport, facts }) => ({
        host: host.name,
        transport,
        steps: preview(remedies.get(host.name) ?? [], facts),
      }))
      return runSteps({ ...session, work })
    },
  })
  stdout.write('\n')
  return exit === exitCodes.ok ? 'done' : exit
}

type CheckOptions = ClusterOptions & {
  readonly json: boolean
  /** Warnings count as failures. */
  readonly strict: boolean
  /** Fixes what muster can fix by itself, and checks again. */
  readonly fix: boolean
  readonly yes: boolean
  readonly lockWait: number
}

/** Runs the preflight checks on every reachable host. Changes nothing without `fix`. */
export async function check(options: CheckOptions): Promise<ExitCode> {
  const { context, json, fix, yes } = options
  if (fix && json) {
    throw new UsageError('--fix cannot be used with --json.', 'Run --fix first, then check with --json.')
  }
  const opened = await openCluster(options)
  const { config } = opened
  if (fix) requireConfirmation(context, { yes, command: 'check --fix', previewCommand: 'check' })
  const found = await checkAllHosts(options, opened)
  show(options, config, found)
  if (!fix) return exitOf(found, options.strict)
  const fixed = await fixFindings({ ...options, config, found })
  if (fixed !== 'done') return fixed === 'nothing' ? exitOf(found, options.strict) : fixed
  const left = await checkAllHosts(options, opened)
  show(options, config, left)
  return exitOf(left, options.strict)
}

async function checkAllHosts(
  { context, json }: CheckOptions,
  { config, loaded }: OpenedCluster,
): Promise<readonly HostChecks[]> {
  const { hosts } = config
  await prepareConnections(context, hosts)
  const files = await readUserProvidedStores(config)
  const stores = { files, ...(await readStoreSecrets(context, hosts)) }
  const renderer = await chooseRenderer({
    context: json ? { ...context, stdout: context.stderr } : context,
    json: false,
    hosts: namesOf(hosts),
  })
  const machines = await machinesOf(config)
  const survey = await surveyHosts({
    scope: allFacts,
    config,
    connect: (host) => connectHost(context, host),
    forks: context.forks,
    // The table has the reason why a host is unreachable.
    emit: (event) => {
      if (event.type !== 'host-failed') renderer.emit(event)
    },
    machines,
    clock: () => performance.now(),
    anyInstallation: true,
  })
  const placeOfMaster = placesOfMasters(loaded)
  const found = await checkSurveyed({ context, config, survey, stores, machines, placeOfMaster }).finally(
    async () => {
      await closeAll(survey)
      await renderer.end()
    },
  )
  if (context.signal.aborted) throw new Interrupted()
  return found
}

/** Runs the checks over the open connections of a survey. Changes nothing. */
export async function checkSurveyed(options: {
  readonly context: CommandContext
  readonly config: SelectedCluster
  readonly survey: Survey
  readonly stores: LoadedStores
  readonly machines: RecordedMachines
  /** Returns the place in the file of the master of a service. */
  readonly placeOfMaster: (service: string) => string
}): Promise<readonly HostChecks[]> {
  const { context, config, survey, stores, machines, placeOfMaster } = options
  const whole = withAllHosts(config)
  const looked = await mapHosts({
    items: survey.reached,
    forks: context.forks,
    map: async ({ host, facts, transport }): Promise<Subject | UnreachableHost> => {
      const names = namesToResolve(whole, host)
      try {
        const { installDirectory } = host
        const mariadbPort = localMariadbPort({ host, facts })
        const observed = await observe(transport, {
          ...{ installDirectory, names, now: context.now },
          ...(mariadbPort === undefined ? {} : { mariadbPort }),
        })
        const [logins, channels] = await Promise.all([
          tryInstalledDatabases(transport, { host, facts }),
          tryInstalledChannels(transport, { host, facts }),
        ])
        const tried = { ...(logins && { logins }), ...(channels && { channels }) }
        return { cluster: config.cluster, host, facts, observed, ...tried }
      } catch (error) {
        return { host, failure: failureOf(error), unreachable: isUnreachable(error) }
      }
    },
  })
  return checkHosts(
    {
      config: whole,
      subjects: looked.filter((one) => 'observed' in one),
      placeOfMaster,
      stores,
      machines,
      ownNode: await readOwnNode(),
      now: context.now(),
    },
    [...survey.unreachable, ...looked.filter((one) => 'failure' in one)],
  )
}

function show(
  { context, json }: CheckOptions,
  { cluster }: SelectedCluster,
  hosts: readonly HostChecks[],
): void {
  const colour = colourOf(context, context.stdout)
  const shown = { cluster, hosts }
  context.stdout.write(
    json ? checksJson(shown) : checksText({ ...shown, colour, width: textWidth(context.stdout) }),
  )
}

/** Returns the exit code: a failed host outweighs an unreachable one. */
function exitOf(hosts: readonly HostChecks[], strict: boolean): ExitCode {
  const bad = hosts
    .filter(({ state }) => state !== 'unreachable')
    .flatMap(({ results }) => results)
    .some(({ result }) => result === 'failure' || (strict && result === 'warning'))
  if (bad) return exitCodes.failed
  return exitOfHosts(hosts.map(({ state }) => state))
}
