import { setTimeout as wait } from 'node:timers/promises'
import { listOf } from '../base/words.ts'
import type { Define } from '../cli/command.ts'
import type { CommandContext } from '../cli/context.ts'
import { type ExitCode, exitCodes } from '../cli/exitCodes.ts'
import { UsageError } from '../cli/usageError.ts'
import { recordedMachines } from '../deployment/hostIdentity.ts'
import { emptyState } from '../deployment/state/clusterState.ts'
import { readState } from '../deployment/state/openState.ts'
import { allFacts, type SurveyedHost, surveyHosts } from '../deployment/survey.ts'
import { type ClusterWatch, watchCluster } from '../deployment/watch/watchCluster.ts'
import { allHostsOptions, runOnFiles } from '../session/clusterOptions.ts'
import { connectHost, prepareConnections } from '../session/connectHost.ts'
import { authoritiesOf, observeHost } from '../session/observeCluster.ts'
import { type ClusterOptions, openCluster } from '../session/openCluster.ts'
import type { SelectedCluster } from '../session/selectTargets.ts'
import { withShortTimeout } from '../session/surveyReadOnly.ts'
import { createDashboard } from '../web/dashboardHandler.ts'
import { serveLocally } from '../web/localServer.ts'
import assets from '../web/page.json' with { type: 'json' }
import { openBrowser } from './dashboard/openBrowser.ts'
import { operatorBackend } from './dashboard/operatorBackend.ts'

export const dashboardCommand: Define = (made, world) =>
  runOnFiles(
    allHostsOptions(made)
      .option('--no-open', 'print the address only')
      .note('Each FILE is a cluster of its own here. Ends with Ctrl-C.'),
    world,
    (options) => dashboard({ ...options, open: made.opts<{ open: boolean }>().open }),
  )

/** Serves the dashboard on loopback until Ctrl-C. It reaches the hosts over SSH, so their APIs may listen on loopback. */
export async function dashboard(options: ClusterOptions & { readonly open: boolean }): Promise<ExitCode> {
  const { context } = options
  const watches = await openWatches(options)
  const backend = operatorBackend({ watches, elapsed: () => performance.now(), forks: context.forks })
  const server = await serveLocally((own) =>
    createDashboard({
      ...{ backend, assets, own, needsToken: true },
      onFault: (error) => void context.stderr.write(`error: a fault of the dashboard: ${String(error)}\n`),
    }),
  )
  const address = server.address()
  try {
    // The person has to see it; it works once.
    context.stdout.write(`Dashboard of ${listOf(backend.clusters)}:\n  ${address.reveal()}\n`)
    const opened = options.open
      ? await openBrowser({ url: address, env: context.env, platform: process.platform })
      : undefined
    const isOpened =
      opened === undefined ? 'Open it in a browser on this machine' : 'It opens in your browser'
    context.stdout.write(`${isOpened}; the address works once. Ctrl-C ends it.\n`)
    try {
      await untilAborted(context.signal)
    } finally {
      await opened?.remove()
    }
    return exitCodes.ok
  } finally {
    await server.close()
    await Promise.all(watches.map((watch) => watch.close()))
  }
}

/** Longest delay of a timer of Node.js, in milliseconds. */
const longestDelay = 2 ** 31 - 1

async function untilAborted(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) await wait(longestDelay, undefined, { signal }).catch(() => undefined)
}

/** Reads each file as a cluster of its own. Throws a `UsageError` where two are of the same name. */
async function openWatches(options: ClusterOptions): Promise<readonly ClusterWatch[]> {
  const { context, files } = options
  const configs: SelectedCluster[] = []
  for (const file of files.length === 0 ? [undefined] : files) {
    const { config } = await openCluster({ ...options, files: file === undefined ? [] : [file] })
    if (configs.some(({ cluster }) => cluster === config.cluster)) {
      throw new UsageError(
        `Two files describe the cluster ${config.cluster}.`,
        'Give each cluster once. The layers of one cluster cannot be several files here.',
      )
    }
    configs.push(withShortTimeout(config))
  }
  await prepareConnections(
    context,
    configs.flatMap(({ hosts }) => hosts),
  )
  return configs.map((config) => watchOver(context, config))
}

function watchOver(context: CommandContext, config: SelectedCluster): ClusterWatch {
  let authority: string | undefined
  const authorities = (surveyed: SurveyedHost): readonly string[] => authoritiesOf(surveyed, authority)
  return watchCluster({
    config,
    now: context.now,
    after: (milliseconds, work) => {
      const timer = setTimeout(work, milliseconds)
      return () => clearTimeout(timer)
    },
    hosts: {
      survey: async (host) => {
        // Runs beside the dashboard may replace machines and the authority.
        const known = await readState({ directory: config.directory, cluster: config.cluster })
        const state = known?.state ?? emptyState
        authority = state.authority?.certificate
        const { reached, unreachable } = await surveyHosts({
          config: { ...config, hosts: [host] },
          scope: allFacts,
          connect: (one) => connectHost(context, one),
          emit: () => {},
          machines: recordedMachines(state),
          clock: () => performance.now(),
        })
        const [found] = [...reached, ...unreachable]
        if (found === undefined) throw new Error(`${host.name} was not surveyed`)
        return found
      },
      refresh: async (surveyed) => ({ ...surveyed, facts: await allFacts.facts(config.cluster, surveyed) }),
      look: (surveyed) =>
        observeHost({ surveyed, config, authorities: authorities(surveyed), now: context.now() }),
      authoritiesOf: authorities,
    },
  })
}
