import type { SwitchRefusal } from '../../../contracts/managerPayloads.ts'
import type { Session } from '../../databases/sessions.ts'
import type { OtherManagers } from '../askManagers.ts'
import type { Manager } from '../createManager.ts'
import { readingOf } from '../replicationGraph.ts'
import { closeNodes, inUse, type OpenServer, type ReadNode, readNodes } from './nodes.ts'
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

/** Returns what speaks against a switch in the view of the other managers. */
async function objections(
  manager: Manager,
  others: OtherManagers,
  service: string,
): Promise<readonly SwitchRefusal[]> {
  const needed = inUse(manager, service)
  const own = manager.writer(service).datasource
  const unreachable = others.unreachable.filter((name) => needed.has(name))
  const about = (reason: string, fix: string): SwitchRefusal => ({ datasource: null, reason, fix })
  const found =
    unreachable.length === 0
      ? []
      : [
          about(
            `The managers of ${unreachable.join(', ')} listen on loopback alone, so clients there could not wait.`,
            'Use muster switch, which reaches them over SSH.',
          ),
        ]
  for (const { name, routing, problem } of await others.routings()) {
    if (routing) {
      const said = routing.services.find((it) => it.name === service)?.writer.datasource ?? null
      if (said === own) continue
      const reason = `Managers disagree: the primary is ${named(own)} here, and ${named(said)} for ${name}.`
      found.push(about(reason, 'Compare them with tapi --all status.'))
    } else if (needed.has(name)) {
      const fix = `Repair it, or take ${name} out with tapi datasource shun.`
      found.push(about(`The manager of ${name} does not answer: ${problem}`, fix))
    }
  }
  return found
}

/** Reads all that a switch depends on, and plans it. `others` is undefined where their clients wait already. */
export async function surveySwitch(
  options: SurveyMeans & {
    readonly service: string
    readonly wanted: string | undefined
    readonly accepted: ReadonlySet<string>
  },
): Promise<Survey> {
  const { manager, open, others, service, wanted, accepted, limits, grants, eventsGrant } = options
  const [nodes, against] = await Promise.all([
    readNodes(open, manager, service),
    others ? objections(manager, others, service) : [],
  ])
  try {
    const writer = manager.writer(service)
    const from = nodes.find(({ name }) => name === writer.datasource)
    const sessions = from && readingOf(from.member) ? await from.server.sessions() : []
    const members = nodes.map(({ member }) => member)
    const plan = planSwitch({
      service,
      members,
      writer,
      wanted,
      sessions,
      limits,
      accepted,
      grants,
      eventsGrant,
    })
    return { nodes, sessions, plan: { ...plan, refusals: [...plan.refusals, ...against] } }
  } catch (error) {
    closeNodes(nodes)
    throw error
  }
}
