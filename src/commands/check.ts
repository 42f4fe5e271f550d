import { type HostChecks, judgeHosts } from '../deployment/check/judgeHosts.ts'
import { namesAsked } from '../deployment/check/names.ts'
import { observe } from '../deployment/check/observe.ts'
import type { Subject } from '../deployment/check/subject.ts'
import { failureOf, isUnreachable } from '../deployment/failure.ts'
import { closeAll, type LostHost, surveyHosts } from '../deployment/survey.ts'
import { checksJson, checksText } from '../output/deployment/checks.ts'
import { chooseRenderer } from './chooseRenderer.ts'
import { connectHost, prepareConnections } from './connectHost.ts'
import { type ExitCode, exitCodes } from './exitCodes.ts'
import { Interrupted } from './interrupted.ts'
import { type ClusterOptions, openCluster } from './openCluster.ts'
import { readOwnStores } from './readOwnStores.ts'
import { readStoreSecrets } from './readStoreSecrets.ts'
import { wholeOf } from './selectTargets.ts'
import { colourOf, textWidth } from './terminal.ts'

/** `muster check`: what would go wrong, asked on every host that can be reached. Changes nothing anywhere. */
export async function check(
  options: ClusterOptions & {
    readonly json: boolean
    /** Warnings count as failures. */
    readonly strict: boolean
  },
): Promise<ExitCode> {
  const { context, json, strict } = options
  const config = await openCluster(options)
  if (typeof config === 'number') return config
  const { hosts } = config
  await prepareConnections(context, hosts)
  const files = await readOwnStores(config)
  const stores = { files, ...(await readStoreSecrets(context, hosts)) }
  const renderer = await chooseRenderer({
    context: json ? { ...context, stdout: context.stderr } : context,
    json: false,
    hosts: hosts.map(({ name }) => name),
  })
  const survey = await surveyHosts({
    config,
    connect: (host) => connectHost(context, host),
    // The table tells why a host was lost.
    emit: (event) => {
      if (event.type !== 'host-failed') renderer.emit(event)
    },
    clock: () => performance.now(),
    anyInstallation: true,
  })
  const whole = wholeOf(config)
  const looked = await Promise.all(
    survey.reached.map(async ({ host, facts, transport }): Promise<Subject | LostHost> => {
      const names = namesAsked(whole, host)
      try {
        return { host, facts, seen: await observe(transport, { names, now: context.now }) }
      } catch (error) {
        return { host, failure: failureOf(error), unreachable: isUnreachable(error) }
      }
    }),
  ).finally(async () => {
    await closeAll(survey)
    await renderer.end()
  })
  if (context.signal.aborted) throw new Interrupted()
  const judged = judgeHosts(
    {
      config: whole,
      subjects: looked.filter((one) => 'seen' in one),
      stores,
      ownNode: { path: process.execPath, version: process.version },
      now: context.now(),
    },
    [...survey.lost, ...looked.filter((one) => 'failure' in one)],
  )
  const colour = colourOf(context, context.stdout)
  const shown = { cluster: config.cluster, hosts: judged }
  context.stdout.write(
    json ? checksJson(shown) : checksText({ ...shown, colour, width: textWidth(context.stdout) }),
  )
  return exitOf(judged, strict)
}

/** As for a run: a host that failed weighs more than one that could not be reached. */
function exitOf(hosts: readonly HostChecks[], strict: boolean): ExitCode {
  const bad = hosts
    .filter(({ state }) => state !== 'unreachable')
    .flatMap(({ results }) => results)
    .some(({ result }) => result === 'failure' || (strict && result === 'warning'))
  if (bad) return exitCodes.failed
  return hosts.some(({ state }) => state === 'unreachable') ? exitCodes.unreachable : exitCodes.ok
}
