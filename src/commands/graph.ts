import { type Command, Option } from 'commander'
import { type Define, flag } from '../cli/command.ts'
import { type ExitCode, exitCodes } from '../cli/exitCodes.ts'
import { writeFileTo } from '../cli/terminal.ts'
import { pictureOf } from '../client/clusterPicture.ts'
import type { ClusterPicture } from '../contracts/clusterPicture.ts'
import { configuredPicture, knowledgeOf } from '../deployment/clusterKnowledge.ts'
import { allFacts, closeAll } from '../deployment/survey.ts'
import { graphMermaid } from '../output/graph/graphMermaid.ts'
import { graphText } from '../output/graph/graphText.ts'
import { topologyOf } from '../output/graph/topology.ts'
import { allHostsOptions, runOnFiles } from '../session/clusterOptions.ts'
import { prepareConnections } from '../session/connectHost.ts'
import { observeCluster } from '../session/observeCluster.ts'
import { type ClusterOptions, openCluster } from '../session/openCluster.ts'
import type { SelectedCluster } from '../session/selectTargets.ts'
import { surveyReadOnly, withShortTimeout } from '../session/surveyReadOnly.ts'

const renderers = { text: graphText, mermaid: graphMermaid } as const

type Format = keyof typeof renderers

export const graphCommand: Define = (made, world) =>
  runOnFiles(
    allHostsOptions(made)
      .addOption(
        new Option('-o, --output <format>', 'text, or Mermaid, which Markdown pages draw')
          .choices(Object.keys(renderers))
          .default('text'),
      )
      .option('--live', 'ask the hosts: states, lag, clients, and who follows whom now'),
    world,
    (options) => graph({ ...options, format: formatOf(made), isLive: flag(made, 'live') }),
  )

const formatOf = (made: Command): Format => made.opts<{ output: Format }>().output

/** Prints the topology of the file, or of the hosts as they are. */
async function graph(
  options: ClusterOptions & { readonly format: Format; readonly isLive: boolean },
): Promise<ExitCode> {
  const { context, format, isLive } = options
  const { config } = await openCluster(options)
  const picture = isLive ? await livePicture(options, config) : configuredPicture(config)
  writeFileTo(context.stdout, renderers[format](topologyOf(picture, isLive)))
  for (const { name, detail } of picture.hosts.filter(
    ({ state }) => state === 'unreachable' || state === 'failed',
  )) {
    context.stderr.write(`warning: ${name} could not be asked: ${detail}\n`)
  }
  return picture.hosts.some(({ state }) => state === 'unreachable') ? exitCodes.unreachable : exitCodes.ok
}

async function livePicture({ context }: ClusterOptions, config: SelectedCluster): Promise<ClusterPicture> {
  await prepareConnections(context, withShortTimeout(config).hosts)
  const { state, survey } = await surveyReadOnly(context, config, allFacts)
  try {
    const observed = await observeCluster({ context, config, state, survey })
    return pictureOf(knowledgeOf({ config, observed, now: context.now() }))
  } finally {
    await closeAll(survey)
  }
}
