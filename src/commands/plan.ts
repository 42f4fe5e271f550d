import { type ExitCode, exitCodes } from '../cli/exitCodes.ts'
import { lineLayout } from '../cli/terminal.ts'
import { newGrants } from '../deployment/grants.ts'
import { emptyState } from '../deployment/state/clusterState.ts'
import { readState } from '../deployment/state/openState.ts'
import { closeAll } from '../deployment/survey.ts'
import { newGrantsNote } from '../output/deployment/grants.ts'
import { planJson, planText } from '../output/deployment/plan.ts'
import { chooseRenderer } from '../session/chooseRenderer.ts'
import { prepareConnections } from '../session/connectHost.ts'
import { mustBeHosts } from '../session/mustBeHosts.ts'
import { type ClusterOptions, openCluster } from '../session/openCluster.ts'
import { namesOf } from '../session/selectTargets.ts'
import { planOf } from './followPlan.ts'
import { keptPlanText } from './keptPlanText.ts'
import { prepareRun } from './prepareRun.ts'
import { recordSeen, seenHosts } from './recordSeen.ts'
import { refuseRuntimeFile } from './refuseRuntimeFile.ts'
import { resolveSecrets } from './resolveSecrets.ts'
import { mustTakePlan, writePlan } from './writePlan.ts'

/** `muster plan`: what install would change, from what is on the hosts now. Writes nothing but the file of --out, and what tapi knows. */
export async function plan(
  options: ClusterOptions & {
    readonly json: boolean
    readonly runtimeFile: string | undefined
    /** Id or version of a release that the hosts keep, to run in place of this muster's own. */
    readonly release: string | undefined
    /** Hosts that are meant to be other machines now. */
    readonly replaced: readonly string[]
    /** File that the plan is saved in. */
    readonly out: string | undefined
  },
): Promise<ExitCode> {
  const { context, json, runtimeFile, release, replaced, out } = options
  refuseRuntimeFile(release, runtimeFile)
  const opened = await openCluster(options)
  const { config } = opened
  mustBeHosts(config, '--replaced', replaced)
  if (out !== undefined) await mustTakePlan(context, out)
  const secrets = await resolveSecrets(context, opened)
  await prepareConnections(context, config.hosts)
  const known = await readState({ directory: config.directory, cluster: config.cluster })
  const state = known?.state ?? emptyState
  const hosts = namesOf(config.hosts)
  const progress = json ? { ...context, stdout: context.stderr } : context
  const renderer = await chooseRenderer({ context: progress, json: false, hosts })
  const run = await prepareRun({
    context,
    config,
    secrets,
    state,
    runtimeFile,
    release,
    replaced,
    authorityPassphraseFile: options.authorityPassphraseFile,
    authorityPassphraseStdin: options.authorityPassphraseStdin,
    emit: renderer.emit,
    packed: () => undefined,
  }).finally(() => renderer.end())
  await closeAll(run.survey)
  if ('exit' in run) return run.exit
  const seen = seenHosts(config.cluster, run.survey.reached)
  const outside = run.preparation.targets
    .filter(({ host }) => host.tls.truststorePath !== undefined && seen.installed.includes(host.name))
    .flatMap(({ authorities }) => authorities)
  await recordSeen({ context, config, state, seen, outside })
  if (out !== undefined)
    await writePlan(context, out, await planOf({ context, config, secrets, state, run, release }))
  const shown = {
    cluster: config.cluster,
    notes: run.preparation.notes,
    plans: run.planned.map((one) => one.plan),
    left: namesOf(config.left),
    grants: newGrants(run.preparation.targets),
  }
  const note = newGrantsNote(shown.grants)
  const notes = note === undefined ? shown.notes : [...shown.notes, note]
  const kept = out === undefined ? '' : keptPlanText({ ...options, out })
  const text = `${planText({ ...shown, notes, ...lineLayout(context, context.stdout) })}${kept}`
  context.stdout.write(json ? planJson(shown) : text)
  return shown.plans.some(({ steps }) => steps.length > 0) ? exitCodes.changes : exitCodes.ok
}
