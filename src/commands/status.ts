import { setTimeout as wait } from 'node:timers/promises'
import { type Command, Option } from 'commander'
import { jsonText } from '../base/json.ts'
import { foldLines } from '../base/wrapping.ts'
import { type Define, flag } from '../cli/command.ts'
import { type ExitCode, exitCodes } from '../cli/exitCodes.ts'
import { tableLayout } from '../cli/terminal.ts'
import { type ClusterKnowledge, pictureOf } from '../client/clusterPicture.ts'
import { joinReports, type ServiceView, viewsToJson } from '../client/clusterView.ts'
import type { ClusterPicture } from '../contracts/clusterPicture.ts'
import type { Component } from '../contracts/component.ts'
import { knowledgeOf } from '../deployment/clusterKnowledge.ts'
import type { ObservedHost } from '../deployment/hostStatus.ts'
import { factsWithDatabases } from '../deployment/survey.ts'
import { lostNotes } from '../output/deployment/lostNotes.ts'
import { startNotes } from '../output/deployment/startNotes.ts'
import { statusText } from '../output/deployment/statusText.ts'
import { wentBackNotes } from '../output/deployment/wentBack.ts'
import { yamlText } from '../output/yamlText.ts'
import {
  componentGiven,
  componentOption,
  runOnFilesOrHosts,
  targetOptions,
} from '../session/clusterOptions.ts'
import { prepareConnections } from '../session/connectHost.ts'
import { reportExportDue } from '../session/exportDue.ts'
import { reportLeftHosts } from '../session/leftHosts.ts'
import { type LeftJson, leftToJson, reportLeftUsers } from '../session/leftUsers.ts'
import { observeCluster } from '../session/observeCluster.ts'
import { type ClusterOptions, openCluster } from '../session/openCluster.ts'
import { installedHosts, recordInstalled } from '../session/recordInstalled.ts'
import { withComponent } from '../session/selectTargets.ts'
import { keepSurvey, surveyReadOnly, withShortTimeout } from '../session/surveyReadOnly.ts'

const formats = ['wide', 'json', 'yaml'] as const

type Format = 'text' | (typeof formats)[number]

export const statusCommand: Define = (made, world) =>
  runOnFilesOrHosts(
    componentOption(targetOptions(made))
      .addOption(new Option('-o, --output <format>', 'wide: a row for each component, too').choices(formats))
      .addOption(new Option('--json', 'the same as -o json').conflicts('output'))
      .option('-w, --watch', 'show it again whenever it changes, until Ctrl-C')
      .note(
        'A word that is no file is a host: `muster status db2` is `muster status --host db2`.',
        'Exit code: 0 OK; 1 DEGRADED, DOWN or UNKNOWN; 4 a host is unreachable.',
      ),
    world,
    (options) =>
      status({
        ...options,
        component: componentGiven(made),
        format: formatOf(made),
        isWatched: flag(made, 'watch'),
      }),
  )

const formatOf = (made: Command): Format => {
  const { output = 'text', json } = made.opts<{ output?: Format; json?: true }>()
  return json === true ? 'json' : output
}

type StatusOptions = ClusterOptions & {
  readonly component: Component | undefined
  readonly format: Format
  readonly isWatched: boolean
}

/** Milliseconds between two looks of --watch. */
const pause = 2_000

/**
 * Shows the cluster as its hosts and managers see it. An unreachable host is shown and does not delay the others. With
 * `isWatched` the connections stay open, and it is shown again whenever it changes.
 */
export async function status(options: StatusOptions): Promise<ExitCode> {
  const { context } = options
  const { config: chosen } = await openCluster(options)
  const config = withComponent(chosen, options.component)
  await prepareConnections(context, withShortTimeout(config).hosts)
  const { state, survey } = await surveyReadOnly(context, config, factsWithDatabases)
  const kept = keepSurvey({ context, config, state, survey })
  try {
    const look = async (): Promise<Seen> => {
      const observed = await observeCluster({ context, config, state, survey: kept.current() })
      return seenIn(knowledgeOf({ config, observed, now: context.now() }), observed)
    }
    const seen = await look()
    await recordInstalled({ context, config, state, seen: installedHosts(config.cluster, survey.reached) })
    const leftFile = leftToJson(
      await reportLeftHosts({ context, config: chosen, state }),
      reportLeftUsers({ context, config, state, ...survey }),
    )
    const text = textOf({ ...seen, leftFile }, options)
    const notes = [
      ...wentBackNotes(survey.reached),
      ...startNotes(survey.reached, seen.picture),
      ...lostNotes(seen.picture),
    ]
    for (const note of notes) context.stderr.write(`note: ${note}\n`)
    if (!options.isWatched) {
      context.stdout.write(text)
      const exit = exitOf(seen)
      if (exit === exitCodes.ok && options.format !== 'json' && options.format !== 'yaml')
        await reportExportDue({ ...options, config: chosen })
      return exit
    }
    return await watch(options, {
      first: text,
      look: async () => {
        await kept.refresh()
        return textOf({ ...(await look()), leftFile }, options)
      },
    })
  } finally {
    await kept.close()
  }
}

/** Shows each text that differs from the one before, until Ctrl-C. */
async function watch(
  options: StatusOptions,
  { first, look }: { readonly first: string; readonly look: () => Promise<string> },
): Promise<ExitCode> {
  const { stdout, signal } = options.context
  const isOnTerminal = stdout.isTTY === true && stdout.rewrite !== undefined
  let shown: string | undefined
  for (let text = first; ; text = await look()) {
    if (signal.aborted) return exitCodes.interrupted
    if (text !== shown) {
      if (isOnTerminal) stdout.rewrite?.(fitRows(text, stdout.rows))
      else stdout.write(shown === undefined || options.format === 'json' ? text : `\n${text}`)
    }
    shown = text
    await wait(pause, undefined, { signal }).catch(() => undefined)
    if (signal.aborted) return exitCodes.interrupted
  }
}

/** Cuts lines out of the middle where the terminal has too few: the verdict stays. */
function fitRows(text: string, rows = Number.POSITIVE_INFINITY): string {
  const lines = text.trimEnd().split('\n')
  if (lines.length < rows) return text
  const last = Math.max(1, Math.floor(rows / 2) - 2)
  const first = Math.max(1, rows - last - 2)
  return `${[...lines.slice(0, first), '…', ...lines.slice(-last)].join('\n')}\n`
}

type Seen = {
  readonly picture: ClusterPicture
  readonly observed: readonly ObservedHost[]
  readonly services: readonly ServiceView[]
}

const seenIn = (knowledge: ClusterKnowledge, observed: readonly ObservedHost[]): Seen => ({
  picture: pictureOf(knowledge),
  observed,
  services: knowledge.reports.length === 0 ? [] : joinReports(knowledge.reports, knowledge.map),
})

function textOf(
  { picture, observed, services, leftFile }: Seen & { readonly leftFile: LeftJson },
  { context, format }: StatusOptions,
): string {
  const hosts = observed.map(({ status }) => status)
  const { name: cluster, verdict } = picture
  const members = viewsToJson({ cluster, verdict, hosts, services, leftFile })
  if (format === 'json') return jsonText(members)
  if (format === 'yaml') return yamlText(members)
  const text = statusText({ picture, hosts, services, isWide: format === 'wide' }, tableLayout(context))
  const { isTTY, columns } = context.stdout
  return isTTY === true ? foldLines(text, columns) : text
}

function exitOf({ picture, observed }: Seen): ExitCode {
  if (observed.some(({ status }) => status.state === 'unreachable')) return exitCodes.unreachable
  return picture.verdict.level === 'ok' ? exitCodes.ok : exitCodes.failed
}
