import { boundedMessage } from '../base/printable.ts'
import {
  joinReports,
  type ManagerReport,
  readServiceStatus,
  type ServiceView,
} from '../client/clusterView.ts'
import type { Credentials } from '../client/credentials.ts'
import { readProblem } from '../client/envelope.ts'
import { readSwitchPlan, type SwitchPlan } from '../client/switchTask.ts'
import type { SwitchOperation } from '../contracts/managerPayloads.ts'
import { callHost } from './callHost.ts'
import { installedAccount, installedData } from './desiredService.ts'
import type { InstalledFacts } from './facts/hostFacts.ts'
import { failureOf } from './hostFailure.ts'
import { layoutOf } from './layout.ts'
import type { SurveyedHost } from './survey.ts'
import { type HostProblem, type ManagerOfHost, serviceStatusPath, switchPlanPath } from './switchPrimary.ts'

/** The manager of a surveyed host, called over its socket; with a login in the name of that user. */
export function managerOf(
  { host, transport, facts }: SurveyedHost<InstalledFacts>,
  { cluster, login }: { readonly cluster: string; readonly login?: Credentials },
): ManagerOfHost {
  const layout = layoutOf(host.installDirectory)
  const target = { socket: installedData(facts, { layout, cluster }).socket('manager') }
  const credentials = login && { user: login.user, password: login.password.reveal() }
  return {
    host: host.name,
    call: async (call) => {
      if (facts.installation.currentRelease === undefined) return { silence: 'not installed' }
      try {
        const [result] = await callHost({
          transport,
          layout,
          account: installedAccount(facts),
          requests: [
            { ...call, id: 'manager', target, repeatable: true, ...(credentials && { credentials }) },
          ],
          timeout: call.timeout * 2,
          running: true,
        })
        if (result === undefined) return { silence: 'no response' }
        if ('error' in result) return { silence: boundedMessage(result.error.message) }
        return { status: result.status, body: result.body }
      } catch (error) {
        return { silence: failureOf(error).message }
      }
    },
  }
}

/** A host whose manager cannot take part in a switch. */
export type AwayManager = HostProblem & { readonly isUnreachable: boolean }

/** State of a service before its primary is switched or replaced. */
export type SwitchSurvey = {
  readonly service: string
  /** The service as most managers see it; undefined where none has it. */
  readonly view: ServiceView | undefined
  /** Managers that have the service. */
  readonly parts: readonly ManagerOfHost[]
  /** Hosts whose clients could not be held, unless a person took their data source out. */
  readonly problems: readonly AwayManager[]
}

/** Asks the managers of a service, all at once; `away` are those of hosts that could not be reached. */
export async function surveySwitch(options: {
  readonly operation: SwitchOperation
  readonly service: string
  readonly managers: readonly ManagerOfHost[]
  readonly away: readonly AwayManager[]
}): Promise<SwitchSurvey> {
  const { operation, service, managers, away } = options
  const asked = await Promise.all(managers.map((manager) => askStatus(manager, service)))
  const reports = [
    ...asked,
    ...away.map(({ host }): ManagerReport => ({ host, services: [], reason: 'unreachable' })),
  ]
  const view = joinReports(reports).find(({ name }) => name === service)
  const silent = asked.flatMap(({ host, reason }): readonly AwayManager[] =>
    reason === undefined
      ? []
      : [{ host, problem: `its manager does not take part: ${reason}`, isUnreachable: false }],
  )
  const isOut = ({ host }: HostProblem): boolean =>
    view?.datasources.some(
      ({ name, role, state }) =>
        name === host &&
        (state === 'SHUNNED' || state === 'OFFLINE' || (operation === 'failover' && role === 'primary')),
    ) === true
  return {
    service,
    view,
    parts: managers.filter(({ host }) => view?.managers.some((one) => one.host === host) === true),
    problems: [...away, ...silent].filter((one) => !isOut(one)),
  }
}

/** Returns the manager that leads: that of the new primary, else of the present writer, else any. */
export const chooseCoordinator = (
  { parts, view }: SwitchSurvey,
  to: string | undefined,
): ManagerOfHost | undefined =>
  parts.find(({ host }) => host === to) ??
  parts.find(({ host }) => host === view?.writer?.datasource) ??
  parts[0]

async function askStatus(manager: ManagerOfHost, service: string): Promise<ManagerReport> {
  const { host } = manager
  const response = await manager.call({ method: 'GET', path: serviceStatusPath(service), timeout: 4_000 })
  if ('silence' in response) return { host, services: [], reason: response.silence }
  if (response.status === 404) return { host, services: [] }
  const seen = response.status === 200 ? readServiceStatus(response.body) : undefined
  if (seen?.name === service) return { host, services: [seen] }
  const reason =
    response.status === 200 ? 'its response is not the status of a service' : `it answered ${response.status}`
  return { host, services: [], reason }
}

/** Reads the plan of a switch or a failover from its coordinator; a text says why there is none. */
export async function readSwitchPlanOf(
  manager: ManagerOfHost,
  wish: {
    readonly operation: SwitchOperation
    readonly service: string
    readonly to: string | undefined
    readonly accept: readonly string[]
  },
): Promise<SwitchPlan | string> {
  const path = switchPlanPath(wish, wish)
  const response = await manager.call({ method: 'GET', path, timeout: 15_000 })
  if ('silence' in response) return response.silence
  const problem = readProblem(response)
  if (problem !== undefined)
    return `its manager answered ${problem.status}: ${problem.detail ?? problem.title}`
  return readSwitchPlan(response.body) ?? 'the response of its manager is not the plan of a switch'
}
