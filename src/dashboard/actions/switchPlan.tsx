import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { ActionResponse } from '../../contracts/dashboard.ts'
import type { SwitchPlanPayload } from '../../contracts/managerPayloads.ts'
import { post } from '../state/request.ts'
import { clusters } from '../state/stream.ts'
import { shown } from '../text/words.ts'
import { orderedDataSources } from '../topology/topologyOf.ts'
import { receiversOf } from './operations.ts'

type Props = {
  /** Call of the plan. */
  readonly route: string
  readonly cluster: string
  readonly service: string
  /** The chosen new primary; null for the best one. */
  readonly to: Signal<string | null>
  /** True where the new primary cannot be chosen. */
  readonly isFixed: boolean
  /** True once the plan has no refusals. */
  readonly isPossible: Signal<boolean>
}

/** Plan of a switch or a failover as it would be made now: from, to, what may be lost, and why not. */
export function SwitchPlan({ route, cluster, service, to, isFixed, isPossible }: Props) {
  const plan = useSignal<SwitchPlanPayload | null>(null)
  const problem = useSignal('')
  const chosen = to.value
  useEffect(() => {
    let isCurrent = true
    plan.value = null
    problem.value = ''
    isPossible.value = false
    void readPlan({ route, cluster, service, to: chosen }).then((answer) => {
      if (!isCurrent) return
      if (typeof answer === 'string') problem.value = answer
      else {
        plan.value = answer
        isPossible.value = answer.to !== null && answer.refusals.length === 0
      }
    })
    return () => {
      isCurrent = false
    }
  }, [route, cluster, service, chosen, plan, problem, isPossible])
  const found = clusters.get(cluster)
  const own = found?.services.get(service)
  const names =
    found === undefined || own === undefined
      ? []
      : orderedDataSources({ service: own, datasources: found.datasources.all() })
          .map(({ name }) => name)
          .filter((name) => name !== own.writer?.datasource)
  return (
    <>
      {!isFixed && <NewPrimary names={names} to={to} />}
      <div role="status" class="where-box">
        {problem.value !== '' && <p class="error">{problem}</p>}
        {problem.value === '' && plan.value === null && <p class="muted">Reading the plan…</p>}
        {plan.value !== null && <Plan plan={plan.value} />}
      </div>
    </>
  )
}

const NewPrimary = ({ names, to }: Pick<Props, 'to'> & { readonly names: readonly string[] }) => (
  <>
    <label for="to">New primary</label>
    <select
      id="to"
      onChange={(event) => {
        to.value = event.currentTarget.value === '' ? null : event.currentTarget.value
      }}
    >
      <option value="">the best one</option>
      {names.map((name) => (
        <option value={name}>{shown(name)}</option>
      ))}
    </select>
  </>
)

const Plan = ({ plan }: { readonly plan: SwitchPlanPayload }) => (
  <>
    <p>
      Primary: <strong>{plan.from === null ? 'none' : shown(plan.from)}</strong> →{' '}
      <strong>{plan.to === null ? 'none possible' : shown(plan.to)}</strong>
    </p>
    {plan.loss !== null && <p>{shown(plan.loss)}</p>}
    {plan.refusals.length === 0 ? (
      <p class="muted">Nothing speaks against it now.</p>
    ) : (
      <>
        <p class="error">It would be refused:</p>
        <ul>
          {plan.refusals.map(({ datasource, reason, fix }) => (
            <li>
              {datasource !== null && <strong>{shown(datasource)}: </strong>}
              {shown(reason)}
              {fix !== null && <code class="sub">{shown(fix)}</code>}
            </li>
          ))}
        </ul>
      </>
    )}
  </>
)

async function readPlan({
  route,
  cluster,
  service,
  to,
}: {
  readonly route: string
  readonly cluster: string
  readonly service: string
  readonly to: string | null
}): Promise<SwitchPlanPayload | string> {
  const hosts = clusters.get(cluster)?.hosts.all() ?? []
  const [receiver] = receiversOf({ to: 'manager' }, hosts).called
  if (receiver === undefined) return 'No manager responds.'
  const result = await post<ActionResponse>('action', {
    cluster,
    ...receiver,
    route,
    params: { service },
    ...(to !== null && { query: { to } }),
  })
  if (!result.ok) return shown(result.problem.detail)
  if ('detail' in result.value) return shown(result.value.detail)
  return result.value.payload as SwitchPlanPayload
}
