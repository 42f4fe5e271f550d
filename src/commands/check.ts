import { mustBeAbleToAsk } from '../cli/ask.ts'
import { type ExitCode, exitCodes, exitOfHosts } from '../cli/exitCodes.ts'
import { Interrupted } from '../cli/interrupted.ts'
import { colourOf, textWidth } from '../cli/terminal.ts'
import { UsageError } from '../cli/usageError.ts'
import { failureOf, isUnreachable } from '../deployment/hostFailure.ts'
import type { Subject } from '../deployment/preflight/checkContract.ts'
import { checkHosts, type HostChecks } from '../deployment/preflight/checkHosts.ts'
import { namesToResolve } from '../deployment/preflight/namesCheck.ts'
import { observe } from '../deployment/preflight/observe.ts'
import { machinesOf } from '../deployment/state/openState.ts'
import { allFacts, closeAll, surveyHosts, type UnreachableHost } from '../deployment/survey.ts'
import { checksJson, checksText } from '../output/deployment/checks.ts'
import { chooseRenderer } from '../session/chooseRenderer.ts'
import { connectHost, prepareConnections } from '../session/connectHost.ts'
import { type ClusterOptions, openCluster } from '../session/openCluster.ts'
import { namesOf, type SelectedCluster, wholeOf } from '../session/selectTargets.ts'
import { mend } from './mend.ts'
import { readOwnStores, readStoreSecrets } from './readOwnStores.ts'

type CheckOptions = ClusterOptions & {
  readonly json: boolean
  /** Warnings count as failures. */
  readonly strict: boolean
  /** Mends what muster may mend by itself, and looks again. */
  readonly fix: boolean
  readonly yes: boolean
  readonly lockWait: number
}

/** `muster check`: what would go wrong, asked on every host that can be reached. Changes nothing without `fix`. */
export async function check(options: CheckOptions): Promise<ExitCode> {
  const { context, json, fix, yes } = options
  if (fix && json) {
    throw new UsageError('--fix cannot be used with --json.', 'Run --fix first, then check with --json.')
  }
  if (fix) mustBeAbleToAsk(context, { yes, command: 'check --fix', look: 'check' })
  const { config } = await openCluster(options)
  const found = await lookAtHosts(options, config)
  show(options, config, found)
  if (!fix) return exitOf(found, options.strict)
  const mended = await mend({ ...options, config, found })
  if (mended !== 'done') return mended === 'nothing' ? exitOf(found, options.strict) : mended
  const left = await lookAtHosts(options, config)
  show(options, config, left)
  return exitOf(left, options.strict)
}

async function lookAtHosts(
  { context, json }: CheckOptions,
  config: SelectedCluster,
): Promise<readonly HostChecks[]> {
  const { hosts } = config
  await prepareConnections(context, hosts)
  const files = await readOwnStores(config)
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
    // The table tells why a host was lost.
    emit: (event) => {
      if (event.type !== 'host-failed') renderer.emit(event)
    },
    machines,
    clock: () => performance.now(),
    anyInstallation: true,
  })
  const whole = wholeOf(config)
  const looked = await Promise.all(
    survey.reached.map(async ({ host, facts, transport }): Promise<Subject | UnreachableHost> => {
      const names = namesToResolve(whole, host)
      try {
        const { installDirectory } = host
        const observed = await observe(transport, { installDirectory, names, now: context.now })
        return { cluster: config.cluster, host, facts, observed }
      } catch (error) {
        return { host, failure: failureOf(error), unreachable: isUnreachable(error) }
      }
    }),
  ).finally(async () => {
    await closeAll(survey)
    await renderer.end()
  })
  if (context.signal.aborted) throw new Interrupted()
  return checkHosts(
    {
      config: whole,
      subjects: looked.filter((one) => 'observed' in one),
      stores,
      machines,
      ownNode: { path: process.execPath, version: process.version },
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

/** As for a run: a host that failed weighs more than one that could not be reached. */
function exitOf(hosts: readonly HostChecks[], strict: boolean): ExitCode {
  const bad = hosts
    .filter(({ state }) => state !== 'unreachable')
    .flatMap(({ results }) => results)
    .some(({ result }) => result === 'failure' || (strict && result === 'warning'))
  if (bad) return exitCodes.failed
  return exitOfHosts(hosts.map(({ state }) => state))
}
