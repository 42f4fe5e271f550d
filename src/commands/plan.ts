import type { Define } from '../cli/command.ts'
import { type ExitCode, exitCodes } from '../cli/exitCodes.ts'
import { formatGiven, formatOption, type PlanFormat, planFormats } from '../cli/formatOption.ts'
import { Interrupted } from '../cli/interrupted.ts'
import { lineLayout } from '../cli/terminal.ts'
import type { HostConfig } from '../config/model.ts'
import { newGrants } from '../deployment/databaseAccounts.ts'
import { recordedMachines } from '../deployment/hostIdentity.ts'
import { knownState } from '../deployment/state/openState.ts'
import { allFacts, closeAll, surveyHosts, unreachableOutcomes } from '../deployment/survey.ts'
import { newGrantsNote } from '../output/deployment/grants.ts'
import { planJson, planText } from '../output/deployment/plan.ts'
import { planMarkdown } from '../output/deployment/planMarkdown.ts'
import { wentBackNotes } from '../output/deployment/wentBack.ts'
import { chooseRenderer } from '../session/chooseRenderer.ts'
import { passphraseOptions, runOnFiles, targetOptions } from '../session/clusterOptions.ts'
import { connectHost, prepareConnections } from '../session/connectHost.ts'
import { hookNotes } from '../session/hooks/runHooks.ts'
import { planOf } from '../session/install/checkSavedPlan.ts'
import { decideInstall, readInstallSources, refuseRuntimeFile } from '../session/install/decideInstall.ts'
import { masterNotes } from '../session/install/masterNotes.ts'
import { requirePlanFile, savedPlanText, writePlan } from '../session/install/planFiles.ts'
import { decidePruning, prunedHosts, requirePrunable } from '../session/install/pruneHosts.ts'
import { reportLeftHosts } from '../session/leftHosts.ts'
import { leftToJson, reportLeftUsers } from '../session/leftUsers.ts'
import { type ClusterOptions, openCluster } from '../session/openCluster.ts'
import { exitOfRun } from '../session/outcomes.ts'
import { installedHosts, recordInstalled } from '../session/recordInstalled.ts'
import { resolveSecrets } from '../session/resolveSecrets.ts'
import {
  pruneGiven,
  pruneOption,
  releaseGiven,
  releaseOption,
  replacedGiven,
  replacedOption,
  runtimeFileGiven,
  runtimeFileOption,
} from '../session/runOptions.ts'
import { refusalFor } from '../session/runPlan.ts'
import { namesOf, requireHosts } from '../session/selectTargets.ts'

export const planCommand: Define = (made, world) =>
  runOnFiles(
    formatOption(
      passphraseOptions(
        pruneOption(replacedOption(releaseOption(runtimeFileOption(targetOptions(made))))),
      ).option('--out <plan>', 'save the plan for install --plan or upgrade --plan'),
      planFormats,
    ).note('Exit codes: 0 no changes, 2 changes pending; others as in `muster --help`.'),
    world,
    (options) =>
      plan({
        ...options,
        format: formatGiven<PlanFormat>(made),
        replaced: replacedGiven(made),
        prune: pruneGiven(made),
        runtimeFile: runtimeFileGiven(made),
        release: releaseGiven(made),
        out: made.opts<{ out?: string }>().out,
      }),
  )

/** Shows what install would change now. Writes only the file of --out and tapi's registry. */
export async function plan(
  options: ClusterOptions & {
    readonly format: PlanFormat
    readonly runtimeFile: string | undefined
    /** Id or version of a release that the hosts keep, to run in place of this muster's own. */
    readonly release: string | undefined
    /** Hosts that are meant to be other machines now. */
    readonly replaced: readonly string[]
    /** Shows also how hosts and users that left the file are taken out. */
    readonly prune?: boolean
    /** File that the plan is saved in. */
    readonly out: string | undefined
  },
): Promise<ExitCode> {
  const { context, format, runtimeFile, release, replaced, prune = false, out } = options
  refuseRuntimeFile(release, runtimeFile)
  const opened = await openCluster(options)
  const { config } = opened
  requireHosts(config, '--replaced', replaced)
  if (prune) requirePrunable(config, { plan: out !== undefined })
  if (out !== undefined) await requirePlanFile(context, out)
  const secrets = await resolveSecrets(context, opened)
  await prepareConnections(context, config.hosts)
  const state = await knownState(config)
  const pruned = prune ? prunedHosts(config, state) : undefined
  if (pruned !== undefined) await prepareConnections(context, pruned.hosts)
  const progress = format === 'text' ? context : { ...context, stdout: context.stderr }
  const renderer = await chooseRenderer({ context: progress, json: false, hosts: namesOf(config.hosts) })
  const sources = await readInstallSources({ context, config, state, runtimeFile })
  const common = {
    scope: allFacts,
    connect: (host: HostConfig) => connectHost(context, host),
    forks: context.forks,
    clock: () => performance.now(),
  }
  const survey = await surveyHosts({
    ...{ ...common, config, emit: renderer.emit },
    machines: recordedMachines(state, replaced),
  }).finally(() => renderer.end())
  const left =
    pruned &&
    (await surveyHosts({
      ...{ ...common, config: { ...config, hosts: pruned.hosts }, emit: () => {} },
      machines: pruned.machines,
    }))
  const decide = async () => {
    if (context.signal.aborted) throw new Interrupted()
    if (survey.unreachable.length > 0) return { failed: unreachableOutcomes(survey), reported: true }
    const pruning = left && (await decidePruning({ context, config, state, survey, left }))
    if (pruning !== undefined && 'problems' in pruning) return refusalFor(pruning.problems)
    const decided = await decideInstall({
      ...options,
      ...{ config, secrets, state, survey, sources, packed: () => undefined },
    })
    if ('failed' in decided) return decided
    const masters = await masterNotes({ context, config, loaded: opened.loaded, survey, of: 'all' })
    return { ...decided, masters, pruning }
  }
  const decision = await decide().finally(() =>
    Promise.all([survey, ...(left === undefined ? [] : [left])].map(closeAll)),
  )
  if ('failed' in decision) {
    const { failed, reported } = decision
    for (const { host, failure } of reported ? [] : failed) {
      if (failure !== undefined) renderer.emit({ type: 'host-failed', host, failure })
    }
    await renderer.end()
    return exitOfRun(failed, false)
  }
  const { preparation, planned, masters, pruning } = decision
  const leftFile =
    pruning === undefined
      ? leftToJson(
          await reportLeftHosts({ context, config, state }),
          reportLeftUsers({ context, config, state, ...survey }),
        )
      : undefined
  for (const note of pruning?.kept ?? []) context.stderr.write(`note: ${note}\n`)
  const seen = installedHosts(config.cluster, survey.reached)
  const outside = preparation.targets
    .filter(({ host }) => host.tls.truststorePath !== undefined && seen.installed.includes(host.name))
    .flatMap(({ authorities }) => authorities)
  await recordInstalled({ context, config, state, seen, outside })
  if (out !== undefined) {
    await writePlan(context, out, await planOf({ context, config, secrets, state, decision, release }))
  }
  const shown = {
    cluster: config.cluster,
    notes: [...wentBackNotes(survey.reached), ...masters, ...preparation.notes, ...(pruning?.notes ?? [])],
    plans: [...planned.map((one) => one.plan), ...(pruning?.work ?? [])],
    excluded: namesOf(config.excluded),
    grants: newGrants(preparation.targets),
  }
  const changing = shown.plans.some(({ steps }) => steps.length > 0)
  const note = newGrantsNote(shown.grants)
  const hooks = changing ? hookNotes(config) : []
  const notes = [...shown.notes, ...(note === undefined ? [] : [note]), ...hooks]
  const text = (): string => {
    const saved = out === undefined ? '' : savedPlanText({ ...options, out })
    return `${planText({ ...shown, notes, ...lineLayout(context, context.stdout) })}${saved}`
  }
  const write = {
    text,
    json: () => planJson({ ...shown, notes: [...shown.notes, ...hooks], ...(leftFile && { leftFile }) }),
    markdown: () => planMarkdown({ ...shown, notes }),
  }
  context.stdout.write(write[format]())
  return changing ? exitCodes.changes : exitCodes.ok
}
