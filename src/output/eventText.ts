import type { ManagerEvent } from '../client/followEvents.ts'
import { failoverWord } from '../contracts/clusterPicture.ts'
import type { Failover } from '../contracts/managerPayloads.ts'
import { switchResultText } from './switchText.ts'

/** Writes the lines for the events of one manager, in their order: each says what differs from the events before. */
type EventText = (event: ManagerEvent) => readonly string[]

type Snapshot = Extract<ManagerEvent, { kind: 'snapshot' }>
type ServiceFacts = Extract<ManagerEvent, { kind: 'service' }>['service']
type SourceFacts = Extract<ManagerEvent, { kind: 'datasource' }>['datasource']
type Connector = Snapshot['connector']
type Task = Snapshot['tasks'][number]

/** Doublings of a lag: one that grows by the second has few lines. */
const lagStep = (seconds: number | null): number => (seconds === null ? 0 : Math.ceil(Math.log2(seconds + 1)))

const lagText = (seconds: number | null): string =>
  seconds === null || seconds === 0 ? 'not behind any more' : `${seconds} s behind`

const because = (reason: string | null): string => (reason === null ? '' : `: ${reason}`)

function sourceLines(after: SourceFacts, before: SourceFacts | undefined): readonly string[] {
  const { service, name, role, state, reason, follows, appliedLatency } = after
  const who = `${service}/${name}`
  const lag = lagStep(appliedLatency) === 0 ? [] : [`${who} ${lagText(appliedLatency)}`]
  if (!before) return [`${who} ${role} ${state}${because(reason)}`, ...lag]
  const lines: string[] = []
  if (state !== before.state) lines.push(`${who} ${before.state} -> ${state}${because(reason)}`)
  else if (reason !== before.reason) lines.push(`${who} ${state}${because(reason ?? 'no problem any more')}`)
  if (role !== before.role) lines.push(`${who} ${before.role} -> ${role}`)
  if (follows !== before.follows && follows !== null) lines.push(`${who} follows ${follows}`)
  if (lagStep(appliedLatency) !== lagStep(before.appliedLatency)) {
    lines.push(`${who} ${lagText(appliedLatency)}`)
  }
  return lines
}

const failoverText = (failover: Failover): string => `${failoverWord(failover)}${because(failover.reason)}`

function serviceLines(
  { name, policy, writer, failover }: ServiceFacts,
  before: ServiceFacts | undefined,
): readonly string[] {
  const writerText = `${writer.datasource ?? 'none'}${because(writer.reason)}`
  const way = failoverText(failover)
  if (!before) return [`${name} writer ${writerText}`, `${name} policy ${policy}`, `${name} failover ${way}`]
  const lines: string[] = []
  if (writer.datasource !== before.writer.datasource) {
    lines.push(`${name} writer ${before.writer.datasource ?? 'none'} -> ${writerText}`)
  } else if (writer.reason !== before.writer.reason) lines.push(`${name} writer ${writerText}`)
  if (policy !== before.policy) lines.push(`${name} policy ${before.policy} -> ${policy}`)
  if (way !== failoverText(before.failover)) lines.push(`${name} failover ${way}`)
  return lines
}

function taskLines(
  { service, state, step, result, error }: Task,
  before: Task | undefined,
): readonly string[] {
  if (result !== null) {
    const rest = state === 'incomplete' ? ['; it is not complete:', ...result.remarks].join(' ') : ''
    return [`switch of ${switchResultText({ service }, result)}${rest}`]
  }
  if (state === 'failed') return [`switch of ${service} failed in the step ${step}${because(error)}`]
  return before?.step === step ? [] : [`switch of ${service}: step ${step}`]
}

function connectorLines(after: Connector, before: Connector): readonly string[] {
  if (after === null) return []
  const word = (it: Connector): string | undefined => it?.status?.value
  const next = word(after) ?? 'does not respond'
  if (before === null) return [`connector of ${after.name} ${next}`]
  if (word(after) === word(before)) return []
  const by = after.status === null ? '' : ` by ${after.status.by}`
  return [`connector of ${after.name} ${word(before) ?? 'did not respond'} -> ${next}${by}`]
}

/** Creates the text for the events of one manager. */
export function createEventText(): EventText {
  const services = new Map<string, ServiceFacts>()
  const sources = new Map<string, SourceFacts>()
  const tasks = new Map<string, Task>()
  let connector: Connector = null
  let managerReason: string | null = null

  function ofSource(it: SourceFacts): readonly string[] {
    const key = `${it.service}/${it.name}`
    const lines = sourceLines(it, sources.get(key))
    sources.set(key, it)
    return lines
  }
  function ofService(it: ServiceFacts): readonly string[] {
    const lines = serviceLines(it, services.get(it.name))
    services.set(it.name, it)
    return lines
  }
  function ofTask(it: Task): readonly string[] {
    const before = tasks.get(it.service)
    tasks.set(it.service, it)
    if (before?.taskId === it.taskId && before.endedAt === it.endedAt && before.step === it.step) return []
    return taskLines(it, before?.taskId === it.taskId ? before : undefined)
  }
  function ofConnector(it: Connector): readonly string[] {
    const lines = connectorLines(it, connector)
    connector = it
    return lines
  }
  function ofManager({ reason }: Snapshot['manager']): readonly string[] {
    const lines = reason === managerReason ? [] : [`manager${because(reason ?? 'no problem any more')}`]
    managerReason = reason
    return lines
  }
  function ofSnapshot(it: Snapshot): readonly string[] {
    const present = it.services.flatMap(({ datasources }) => datasources)
    const keys = new Set(present.map(({ service, name }) => `${service}/${name}`))
    const gone = [...sources.keys()].filter((key) => !keys.has(key))
    for (const key of gone) sources.delete(key)
    return [
      ...ofManager(it.manager),
      ...gone.map((key) => `${key} is not in the services map any more`),
      ...it.services.flatMap((service) => [...ofService(service), ...service.datasources.flatMap(ofSource)]),
      ...it.tasks.flatMap(ofTask),
      ...ofConnector(it.connector),
    ]
  }
  function linesOf(event: ManagerEvent): readonly string[] {
    switch (event.kind) {
      case 'snapshot':
        return ofSnapshot(event)
      case 'manager':
        return ofManager(event.manager)
      case 'service':
        return ofService(event.service)
      case 'datasource':
        return ofSource(event.datasource)
      case 'task':
        return ofTask(event.task)
      case 'connector':
        return ofConnector(event.connector)
    }
  }
  return (event) => {
    const time = event.time.slice(11, 19)
    return linesOf(event).map((line) => `${time} ${line}`)
  }
}
