import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { boundedMessage, lastLines } from '../base/printable.ts'
import { switchOperations, switchSteps } from '../contracts/choices.ts'
import { orNull, type ReadonlyStatic } from '../contracts/schemaParts.ts'
import { MapName } from '../contracts/servicesMap.ts'
import type { CallClock } from './call.ts'
import { readEnvelope } from './envelope.ts'

const Name = orNull(MapName, 'Null for none.')
const Words = orNull(Type.String(), 'For people.')

/** The members of a SwitchPlanPayload that are shown; hosts of other releases may send more. */
const SwitchPlan = Type.Object({
  service: MapName,
  from: Name,
  to: Name,
  loss: Words,
  refusals: Type.Array(Type.Object({ datasource: Name, reason: Type.String(), fix: Words }), {
    maxItems: 1000,
  }),
})

/** The members of a TaskPayload that are shown; the step may be one of another release. */
const SwitchTask = Type.Object({
  taskId: Type.String({ pattern: '^[0-9A-Za-z-]{1,64}$' }),
  state: Type.Enum(['in_progress', 'complete', 'incomplete', 'failed']),
  operation: Type.Enum([...switchOperations]),
  service: MapName,
  step: Type.String({ pattern: '^[a-z][a-z-]{0,31}$' }),
  startedAt: Type.String({ pattern: '^[0-9T:.Z+-]{1,40}$' }),
  endedAt: orNull(Type.String({ pattern: '^[0-9T:.Z+-]{1,40}$' }), 'Null while it is under way.'),
  result: orNull(
    Type.Object({
      oldPrimary: MapName,
      newPrimary: MapName,
      heldMilliseconds: orNull(Type.Integer({ minimum: 0 }), 'Null where it is not known.'),
      remarks: Type.Array(Type.String(), { maxItems: 1000 }),
    }),
    'Null unless it is complete or incomplete.',
  ),
  error: Words,
})

/** Plan of a switch or a failover, with the reasons why it would be refused. */
export type SwitchPlan = ReadonlyStatic<typeof SwitchPlan>
/** A switch or a failover that a manager makes or has made. */
export type SwitchTask = ReadonlyStatic<typeof SwitchTask>

/** Reads the response to `GET manager/status/service/NAME/switch`, or of a failover; undefined for any other. Its words are printable. */
export function readSwitchPlan(body: unknown): SwitchPlan | undefined {
  const payload = readEnvelope(body)?.payload
  if (!Value.Check(SwitchPlan, payload)) return undefined
  const { service, from, to, loss, refusals } = payload
  const printed = refusals.map(({ datasource, reason, fix }) => ({
    datasource,
    reason: lastLines(reason),
    // SQL to copy keeps its lines.
    fix: fix === null ? null : boundedMessage(fix),
  }))
  return { service, from, to, refusals: printed, loss: loss === null ? null : lastLines(loss) }
}

/** Reads the response to `GET manager/task/ID`, or of the switch itself; undefined for any other. Its words are printable. */
export function readSwitchTask(body: unknown): SwitchTask | undefined {
  const payload = readEnvelope(body)?.payload
  if (!Value.Check(SwitchTask, payload)) return undefined
  const { taskId, state, operation, service, step, startedAt, endedAt, result, error } = payload
  // A task that claims to have made a primary says who it is.
  if ((state === 'complete' || state === 'incomplete') && result === null) return undefined
  return {
    ...{ taskId, state, operation, service, step, startedAt, endedAt },
    result:
      result === null
        ? null
        : {
            oldPrimary: result.oldPrimary,
            newPrimary: result.newPrimary,
            heldMilliseconds: result.heldMilliseconds,
            remarks: result.remarks.map(lastLines),
          },
    error: error === null ? null : lastLines(error),
  }
}

/** Milliseconds between two readings of a task, and for which a manager may give no answer. */
const limits = { pause: 100, silence: 30_000 }

/**
 * Follows a switch until it has ended. `read` lets the manager wait for that, and resolves to undefined if it gave no
 * answer; after 30 s without one this resolves to undefined, too.
 */
export async function followSwitch(options: {
  /** Undefined if the manager that was told to switch gave no answer. */
  readonly first: SwitchTask | undefined
  readonly read: () => Promise<SwitchTask | undefined>
  /** Called with each answer, the first included. */
  readonly onTask: (task: SwitchTask) => void
  readonly clock: CallClock
}): Promise<SwitchTask | undefined> {
  const { first, read, onTask, clock } = options
  let task = first
  let answered = clock.now()
  for (;;) {
    if (task !== undefined) {
      answered = clock.now()
      onTask(task)
      if (task.state !== 'in_progress') return task
    } else if (clock.now() - answered >= limits.silence) return undefined
    await clock.wait(limits.pause)
    task = await read()
  }
}

/** Calls `show` with each step of a switch once, also with those that were over before anybody asked. */
export function eachStep(show: (task: SwitchTask) => void): (task: SwitchTask) => void {
  let last: string | undefined
  /** Place of the furthest step that was shown. */
  let furthest = -1
  return (task) => {
    if (task.step === last) return
    const place = (switchSteps as readonly string[]).indexOf(task.step)
    for (const step of switchSteps.slice(furthest + 1, Math.max(furthest + 1, place))) {
      if (step !== 'drain' || task.operation === 'switch') show({ ...task, step })
    }
    furthest = Math.max(furthest, place)
    last = task.step
    show(task)
  }
}
