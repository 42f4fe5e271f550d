import { mustBeAbleToAsk } from '../../cli/ask.ts'
import { type ExitCode, exitCodes } from '../../cli/exitCodes.ts'
import type { Credentials } from '../../client/credentials.ts'
import type { ClusterState } from '../../deployment/state/clusterState.ts'
import { saveState } from '../../deployment/state/saveState.ts'
import { settled } from '../../deployment/users/rotation.ts'
import { proveHost } from '../../deployment/users/viaApi/proveHost.ts'
import type { GivenPasswords } from '../../deployment/users/viaApi/wishes.ts'
import { withoutShell } from '../../deployment/users/withoutShell.ts'
import { usersNowText } from '../../output/deployment/usersNow.ts'
import { inRun } from '../../session/inRun.ts'
import { tellMade } from '../../session/madePasswords.ts'
import { type ClusterOptions, openCluster } from '../../session/openCluster.ts'
import { type Refusal, type RunPlan, runPlan } from '../../session/runPlan.ts'
import { beginSession, openStateToChange, type Session, tellPart } from '../../session/session.ts'
import { readUserPasswords } from '../readUserPasswords.ts'
import { type ApiAccessOptions, readOwnLogin, readTrust } from './apiAccess.ts'
import { askViaApi } from './askViaApi.ts'
import { mustNameUsers, usersGiven } from './namedUsers.ts'

export type ViaApiOptions = ClusterOptions &
  ApiAccessOptions & {
    readonly yes: boolean
    readonly json: boolean
    readonly lockWait: number
    readonly prune: boolean
  }

/** What the decision needs beside what the APIs answer. */
type Known = {
  readonly given: GivenPasswords
  readonly own: Credentials | undefined
  readonly prune: boolean
  readonly state: ClusterState
  readonly authorities: readonly string[]
}

const operation = 'users apply --via api'

/**
 * `muster users apply --via api`: brings the hosts to the users of the file without SSH. All APIs of all hosts are
 * asked first; where one host could not follow, none is changed.
 */
export async function applyViaApi(options: ViaApiOptions): Promise<ExitCode> {
  const { context, yes, cacert } = options
  mustBeAbleToAsk(context, { yes, command: operation, look: null })
  const loaded = await openCluster(options)
  const { config } = loaded
  mustNameUsers(config)
  const own = await readOwnLogin(context, options)
  const given = await readUserPasswords(context, loaded)
  return inRun({ ...options, config, operation }, async (run) => {
    const state = await openStateToChange(context, config)
    const authorities = await readTrust(context, { cacert, state, place: config })
    const session = await beginSession({ ...options, config, run })
    const plan = await decide(session, { ...options, given, own, state, authorities })
    return runPlan({ ...session, survey: { reached: [], lost: [] } }, plan)
  })
}

/** Asks every host and decides what its APIs are called for. */
async function decide(session: Session, known: Known): Promise<RunPlan | Refusal> {
  const { context, config, json, run, renderer } = session
  const { given } = known
  const decision = await askViaApi(session, known).finally(() => renderer.end())
  if ('failed' in decision) {
    return {
      ...decision,
      interrupted: context.signal.aborted,
      message: 'Nothing was changed: not every host passed the checks.',
    }
  }
  const { plans, made, notes, wishes, state } = decision
  const work = plans.map((plan) => ({
    ...plan,
    transport: withoutShell(plan.host),
    verify: async () => {
      const wish = wishes.find(({ host }) => host === plan.host)
      return wish === undefined ? 'nothing to verify' : proveHost(wish, context.signal)
    },
  }))
  return {
    work,
    notes,
    carryOut: async (execute) => {
      await saveState({ ...config, before: known.state, after: state })
      tellMade(session, made)
      const { exit } = await execute()
      if (!json && !context.signal.aborted) {
        context.stdout.write(usersNowText(operation, run.recorder.record(exit)?.hosts ?? []) ?? '')
      }
      tellPart(session)
      if (exit !== exitCodes.ok || config.left.length > 0) return exit
      const hosts = wishes.map(({ host, users }) => ({ name: host, users }))
      await saveState({ ...config, before: state, after: settled(state, usersGiven(hosts, given)) })
      return exit
    },
  }
}
