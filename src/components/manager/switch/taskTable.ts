import type { SwitchOperation, SwitchStep, TaskPayload } from '../../../contracts/managerPayloads.ts'
import { withTimeout } from '../../databases/withTimeout.ts'

/** Tasks that are remembered after their end, at most. */
const most = 100

/** A switch that this process makes, as calls see it. */
export type Task = {
  readonly id: string
  payload(): TaskPayload
  begin(step: SwitchStep): void
  /** Ends it with a new primary; `incomplete` where a server was not seen to follow it. */
  complete(result: NonNullable<TaskPayload['result']>, state?: 'complete' | 'incomplete'): void
  fail(error: string): void
  /** Resolves when it has ended, or after these milliseconds. */
  ended(milliseconds: number): Promise<void>
}

type TaskTable = {
  /** The last task of each service. */
  latest(): readonly TaskPayload[]
  add(facts: {
    readonly id: string
    readonly operation: SwitchOperation
    readonly service: string
    readonly step: SwitchStep
  }): Task
  find(id: string): Task | undefined
}

/** Creates a table that calls back with each task that begins, and with each of its changes. */
export function createTaskTable(
  now: () => Date,
  onChange: (task: TaskPayload) => void = () => undefined,
): TaskTable {
  const tasks = new Map<string, Task>()

  /** Forgets the oldest of those that ended. */
  function forget(): void {
    for (const [id, task] of tasks) {
      if (tasks.size <= most) return
      if (task.payload().state !== 'in_progress') tasks.delete(id)
    }
  }

  return {
    add: ({ id, operation, service, step }) => {
      let payload: TaskPayload = {
        taskId: id,
        state: 'in_progress',
        operation,
        service,
        step,
        startedAt: now().toISOString(),
        endedAt: null,
        result: null,
        error: null,
      }
      let setEnded = (): void => undefined
      const isEnded = new Promise<void>((resolve) => {
        setEnded = resolve
      })
      const change = (next: Partial<TaskPayload>): void => {
        payload = { ...payload, ...next }
        onChange(payload)
      }
      const end = (rest: Partial<TaskPayload>): void => {
        change({ ...rest, endedAt: now().toISOString() })
        setEnded()
      }
      const task: Task = {
        id,
        payload: () => payload,
        begin: (next) => change({ step: next }),
        complete: (result, state = 'complete') => end({ state, result }),
        fail: (error) => end({ state: 'failed', error }),
        ended: async (milliseconds) => {
          if (milliseconds === 0) return
          const late = (): Error => new Error('The task goes on.')
          await withTimeout({ milliseconds, work: isEnded, late }).catch(() => undefined)
        },
      }
      tasks.set(id, task)
      forget()
      onChange(payload)
      return task
    },
    latest: () => {
      const all = [...tasks.values()].map((task) => task.payload())
      return [...new Map(all.map((task) => [task.service, task])).values()]
    },
    find: (id) => tasks.get(id),
  }
}
