import { agreed, mustBeAbleToAsk } from '../../cli/confirmChanges.ts'
import { type ExitCode, exitCodes } from '../../cli/exitCodes.ts'
import type { Credentials } from '../../client/credentials.ts'
import { openState } from '../../deployment/state/openState.ts'
import { saveState } from '../../deployment/state/saveState.ts'
import { stateFolder } from '../../deployment/state/statePlace.ts'
import { settled } from '../../deployment/users/rotation.ts'
import type { HostWish } from '../../deployment/users/viaApi/apiHost.ts'
import { proveHost } from '../../deployment/users/viaApi/proveHost.ts'
import type { GivenPasswords } from '../../deployment/users/viaApi/wishes.ts'
import { withoutShell } from '../../deployment/users/withoutShell.ts'
import { usersNowText } from '../../output/deployment/usersNow.ts'
import { chooseRenderer } from '../../session/chooseRenderer.ts'
import { exitOfRun } from '../../session/exitOfRun.ts'
import { inRun, type Run } from '../../session/inRun.ts'
import { madePasswordText } from '../../session/madePasswordText.ts'
import { type ClusterOptions, openCluster } from '../../session/openCluster.ts'
import { runSteps } from '../../session/runSteps.ts'
import { namesOf, type SelectedCluster } from '../../session/selectTargets.ts'
import { showPlan } from '../../session/showPlan.ts'
import { readUserPasswords } from '../readUserPasswords.ts'
import { tellPart } from '../tellInstalled.ts'
import { type ApiAccessOptions, readOwnLogin, readTrust } from './apiAccess.ts'
import { askViaApi } from './askViaApi.ts'
import { mustNameUsers } from './mustNameUsers.ts'

export type ViaApiOptions = ClusterOptions &
  ApiAccessOptions & {
    readonly yes: boolean
    readonly json: boolean
    readonly lockWait: number
    readonly prune: boolean
  }

/** What a run over the APIs works with. */
type Work = ViaApiOptions & {
  readonly config: SelectedCluster
  readonly given: GivenPasswords
  readonly own: Credentials | undefined
  readonly run: Run
}

const operation = 'users apply --via api'

/**
 * `muster users apply --via api`: brings the hosts to the users of the file without SSH. All APIs of all hosts are
 * asked first; where one host could not follow, none is changed.
 */
export async function applyViaApi(options: ViaApiOptions): Promise<ExitCode> {
  const { context, yes } = options
  mustBeAbleToAsk(context, { yes, command: operation, look: null })
  const loaded = await openCluster(options)
  const { config } = loaded
  mustNameUsers(config)
  const own = await readOwnLogin(context, options)
  const given = await readUserPasswords(context, loaded)
  return inRun({ ...options, config, operation }, (run) =>
    applyLocked({ ...options, config, given, own, run }),
  )
}

async function applyLocked(work: Work): Promise<ExitCode> {
  const { context, config, json, run, yes } = work
  const place = { directory: config.directory, cluster: config.cluster }
  const opened = await openState(place)
  for (const note of opened.notes) context.stderr.write(`note: ${note}\n`)
  const authorities = await readTrust(context, { cacert: work.cacert, state: opened.state, place })
  const hosts = namesOf(config.hosts)
  const renderer = run.follow(await chooseRenderer({ context, json, hosts }))
  const { emit } = renderer
  emit({ type: 'run-started', run: run.owner.id, operation, cluster: config.cluster, hosts })
  const decision = await askViaApi(work, { state: opened.state, authorities, emit }).finally(() =>
    renderer.end(),
  )
  if ('outcomes' in decision) {
    emit({ type: 'run-ended', outcomes: decision.outcomes, interrupted: context.signal.aborted })
    context.stderr.write('Nothing was changed: not every host passed the checks.\n')
    return exitOfRun(decision.outcomes, context.signal.aborted)
  }
  const { plans, made, notes, wishes } = decision
  if (!json) {
    const left = namesOf(config.left)
    showPlan(context, { cluster: config.cluster, notes, plans, left })
  }
  const changes = plans.some(({ steps }) => steps.length > 0)
  if (changes && !(await agreed(context, { yes, question: 'Go on?', run }))) {
    context.stderr.write('Nothing was changed.\n')
    return exitCodes.failed
  }
  await saveState({ ...place, before: opened.state, after: decision.state })
  if (!json) context.stdout.write(madePasswordText(made, place))
  else
    for (const { user } of made) {
      const message = `the password of ${user} was generated; it is stored in ${stateFolder(place)}`
      emit({ type: 'notice', message })
    }
  const exit = await runSteps({
    context,
    json,
    run,
    survey: { reached: [], lost: [] },
    work: plans.map(({ host, steps, before }) => ({
      host,
      steps,
      before,
      transport: withoutShell(host),
      verify: async () => {
        const wish = wishes.find((one) => one.host === host)
        return wish === undefined ? 'nothing to verify' : proveHost(wish, context.signal)
      },
    })),
  })
  if (!json && !context.signal.aborted) {
    context.stdout.write(usersNowText(operation, run.recorder.record(exit)?.hosts ?? []) ?? '')
  }
  tellPart({ context, config, json, emit })
  if (exit !== exitCodes.ok || config.left.length > 0) return exit
  const after = settled(decision.state, usersGiven(work, wishes))
  await saveState({ ...place, before: decision.state, after })
  return exit
}

/** The users of the file, and whether it gives the password of each on every host that names it. */
function usersGiven(
  { given }: Work,
  wishes: readonly HostWish[],
): readonly { readonly user: string; readonly given: boolean }[] {
  const names = new Set(wishes.flatMap(({ users }) => users.map(({ user }) => user)))
  return [...names].map((user) => ({
    user,
    given: wishes.every(
      (wish) => wish.users.every((one) => one.user !== user) || given.get(wish.host)?.has(user) === true,
    ),
  }))
}
