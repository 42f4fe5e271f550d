import type { SwitchOperation, SwitchRefusal } from '../../../contracts/managerPayloads.ts'
import type { Session } from '../../databases/sessions.ts'
import { withTimeout } from '../../databases/withTimeout.ts'
import type { OtherManagers } from '../askManagers.ts'
import type { Observation } from '../checkResult.ts'
import type { Manager } from '../createManager.ts'
import type { DataSourceKey } from '../dataSources.ts'
import { readingOf } from '../replicationGraph.ts'
import { closeNodes, inUse, lostLimit, type OpenServer, type ReadNode, readNodes } from './nodes.ts'
import { planFailover } from './planFailover.ts'
import { type PlanFacts, planSwitch, type SwitchLimits, type SwitchPlan } from './planSwitch.ts'

/** All that a switch knows before it begins; the connections are open. */
export type Survey = {
  readonly nodes: readonly ReadNode[]
  /** Of the present primary. */
  readonly sessions: readonly Session[]
  readonly plan: SwitchPlan
}

export type SurveyMeans = {
  readonly manager: Manager
  readonly open: OpenServer
  readonly others: OtherManagers | undefined
  readonly limits: SwitchLimits
  readonly grants: PlanFacts['grants']
  readonly eventsGrant: PlanFacts['eventsGrant']
}

const named = (words: string | null): string => words ?? 'nobody'

/** Returns what speaks against a switch or a failover in the view of the other managers. */
async function objections(
  manager: Manager,
  others: OtherManagers,
  {
    operation,
    service,
    lost,
  }: { readonly operation: SwitchOperation; readonly service: string; readonly lost: string | null },
): Promise<readonly SwitchRefusal[]> {
  const needed = inUse(manager, service, lost)
  const own = operation === 'failover' ? null : manager.writer(service).datasource
  const about = (reason: string, fix: string): SwitchRefusal => ({ datasource: null, reason, fix })
  const found: SwitchRefusal[] = []
  for (const { name, routing, problem } of await others.routings(lost ?? undefined)) {
    if (routing) {
      const said = routing.services.find((it) => it.name === service)?.writer.datasource ?? null
      if (said === own) continue
      if (lost !== null && said === lost) {
        const fix = `Look at the link between ${lost} and this host; use tapi switch at ${name}.`
        found.push(about(`For the manager of ${name} clients write to ${lost}: it is not lost.`, fix))
        continue
      }
      const reason = `Managers disagree: the primary is ${named(own)} here, and ${named(said)} for ${name}.`
      found.push(about(reason, 'Compare them with tapi --all status.'))
    } else if (needed.has(name)) {
      const fix = `Repair it, or take ${name} out with tapi datasource shun.`
      found.push(about(`The manager of ${name} does not answer: ${problem}`, fix))
    }
  }
  return found
}

/** Checks the primary that is believed to be lost; the last check counts where it does not answer in time. */
async function checkLost(manager: Manager, key: DataSourceKey): Promise<Observation | null> {
  const late = (): Error => new Error('It did not answer in time.')
  const asked = withTimeout({ milliseconds: lostLimit, work: manager.check(key), late })
  const checked = await asked.catch(() => undefined)
  return checked?.observation ?? manager.health(manager.view(key)).observation
}

/** Reads all that a switch depends on, and plans it. `others` is undefined where their clients wait already. */
export async function surveySwitch(
  options: SurveyMeans & {
    readonly operation: SwitchOperation
    readonly service: string
    readonly wanted: string | undefined
    readonly accepted: ReadonlySet<string>
  },
): Promise<Survey> {
  const { manager, open, others, operation, service, wanted, accepted, limits, grants, eventsGrant } = options
  const lost = operation === 'failover' ? manager.knownWriter(service) : null
  const [nodes, against, check] = await Promise.all([
    readNodes(open, manager, service, lost),
    others ? objections(manager, others, { operation, service, lost }) : [],
    lost === null ? null : checkLost(manager, { service, name: lost }),
  ])
  try {
    const members = nodes.map(({ member }) => member)
    const facts = { service, members, wanted, accepted, grants }
    if (operation === 'failover') {
      const plan = planFailover({ ...facts, primary: lost, check })
      return { nodes, sessions: [], plan: { ...plan, refusals: [...plan.refusals, ...against] } }
    }
    const writer = manager.writer(service)
    const from = nodes.find(({ name }) => name === writer.datasource)
    const sessions = from && readingOf(from.member) ? await from.server.sessions() : []
    const plan = planSwitch({ ...facts, writer, sessions, limits, eventsGrant })
    return { nodes, sessions, plan: { ...plan, refusals: [...plan.refusals, ...against] } }
  } catch (error) {
    closeNodes(nodes)
    throw error
  }
}
