import { computed, useComputed } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { switchSteps } from '../../contracts/choices.ts'
import type { TaskPayload } from '../../contracts/managerPayloads.ts'
import { Heading } from '../parts/heading.tsx'
import { Icon } from '../parts/icon.tsx'
import { Pill } from '../parts/pill.tsx'
import { When } from '../parts/when.tsx'
import { now } from '../state/clock.ts'
import type { ClusterState } from '../state/clusters.ts'
import { linkTo } from '../state/place.ts'
import { taskSigns } from '../text/signs.ts'
import { durationText } from '../text/times.ts'
import { count, shown } from '../text/words.ts'
import { connectorHosts } from '../topology/topologyOf.ts'

type Props = { readonly cluster: ClusterState; readonly service: string }

/** A switch of the primary while it happens, or the last one. */
export function SwitchPage({ cluster, service }: Props) {
  const task = cluster.services.get(service)?.task ?? null
  return (
    <>
      <Heading title={`Switch of ${shown(service)}`}>
        {task !== null && <Pill sign={taskSigns[task.state]} large />}
      </Heading>
      {task === null ? (
        <p>No switch is under way.</p>
      ) : (
        <section class="card" aria-label="Switch">
          <Figures cluster={cluster} service={service} task={task} />
          <Steps task={task} />
          <Outcome task={task} />
        </section>
      )}
      <p>
        <a href={linkTo({ page: 'cluster', cluster: cluster.name })}>Show {shown(cluster.name)}</a>
      </p>
    </>
  )
}

function Figures({ cluster, service, task }: Props & { readonly task: TaskPayload }) {
  const { startedAt, endedAt } = task
  const time = useMemo(
    () =>
      computed(() => {
        const end = endedAt === null ? now.value : Date.parse(endedAt)
        return durationText(Math.max(0, end - Date.parse(startedAt)) / 1000)
      }),
    [startedAt, endedAt],
  )
  const held = useComputed(() => {
    const found = cluster.services.get(service)
    if (found === undefined) return 0
    const connectors = connectorHosts({ service: found, hosts: cluster.hosts.all() })
    return connectors.reduce((sum, { connector }) => sum + (connector?.held ?? 0), 0)
  })
  const switching = cluster.services.get(service)?.writer?.switching
  const from = task.result?.oldPrimary ?? switching?.from
  const to = task.result?.newPrimary ?? switching?.to
  return (
    <dl class="facts">
      {from !== undefined && to !== undefined && (
        <div>
          <dt>Primary</dt>
          <dd>
            {shown(from)} → {shown(to)}
          </dd>
        </div>
      )}
      <div>
        <dt>Begun</dt>
        <dd>
          <When at={task.startedAt} />
        </dd>
      </div>
      <div>
        <dt>Time</dt>
        <dd>{time}</dd>
      </div>
      <div>
        <dt>Clients waiting now</dt>
        <dd>{held}</dd>
      </div>
      {task.result?.heldMilliseconds != null && (
        <div>
          <dt>Clients waited</dt>
          <dd>{count(task.result.heldMilliseconds, 'ms', 'ms')}</dd>
        </div>
      )}
    </dl>
  )
}

const meanings: Readonly<Record<(typeof switchSteps)[number], string>> = {
  check: 'All servers are read.',
  hold: 'Clients that write wait.',
  drain: 'Open transactions end.',
  freeze: 'The old primary becomes read-only.',
  'catch-up': 'The new primary applies everything.',
  promote: 'The new primary becomes writable. There is no way back from here.',
  repoint: 'The others follow it.',
  release: 'Clients go on.',
  verify: 'All servers are read again.',
}

function Steps({ task }: { readonly task: TaskPayload }) {
  const at = switchSteps.indexOf(task.step)
  return (
    <ol class="steps" aria-label="Steps">
      {switchSteps.map((step, index) => {
        const state = stateOf(task, index - at)
        return (
          <li class={state.tone} aria-current={state.word === 'now' ? 'step' : undefined}>
            <Icon name={state.icon} />
            <strong>{step}</strong>
            <span class="grow">{meanings[step]}</span>
            <span class="muted">{state.word}</span>
          </li>
        )
      })}
    </ol>
  )
}

function stateOf(task: TaskPayload, distance: number) {
  if (task.state === 'complete' || distance < 0) return { word: 'done', icon: 'check', tone: 'good' } as const
  if (distance > 0) return { word: 'to come', icon: 'ring', tone: 'idle' } as const
  if (task.state === 'incomplete') return { word: 'not complete', icon: 'cross', tone: 'bad' } as const
  return task.state === 'failed'
    ? ({ word: 'failed', icon: 'cross', tone: 'bad' } as const)
    : ({ word: 'now', icon: 'arrow', tone: 'info' } as const)
}

const Outcome = ({ task }: { readonly task: TaskPayload }) => (
  <div role="status">
    {task.error !== null && <p class="error">{shown(task.error)}</p>}
    {task.result !== null && (
      <>
        <p>
          <strong>{shown(task.result.newPrimary)}</strong> is the primary; it was{' '}
          {shown(task.result.oldPrimary)}.
        </p>
        <ul>
          {task.result.remarks.map((remark) => (
            <li>{shown(remark)}</li>
          ))}
        </ul>
      </>
    )}
  </div>
)
