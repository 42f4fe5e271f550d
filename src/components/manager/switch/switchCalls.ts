import { ProblemError } from '../../../api/problemError.ts'
import { type ServedRoute, serve } from '../../../api/serve.ts'
import { switchOperations } from '../../../contracts/choices.ts'
import type { SwitchOperation } from '../../../contracts/managerPayloads.ts'
import { managerRoutes as routes } from '../../../contracts/managerRoutes.ts'
import { authorOf } from '../sharedChanges.ts'
import type { Switcher } from './switcher.ts'

const acceptedBy = (accept: string | undefined): ReadonlySet<string> => new Set(accept?.split(','))

/** Returns the calls of a switch and of a failover; without a switcher all but those of tasks are a `no-database` problem. */
export function switchCalls(switcher: Switcher | undefined): readonly ServedRoute[] {
  const opened = (): Switcher => {
    if (switcher) return switcher
    throw new ProblemError({
      code: 'no-database',
      detail:
        'The manager has no account to switch primaries with, or none to check databases with. Set replication-user, ' +
        'replication-password, monitor-user and monitor-password, and install again.',
    })
  }
  const planned = (operation: SwitchOperation) =>
    serve(
      operation === 'switch' ? routes.managerSwitchPlan : routes.managerFailoverPlan,
      ({ params: { service = '' }, query: { to, accept } }) =>
        opened().plan({ operation, service, to, accepted: acceptedBy(accept) }),
    )
  const made = (operation: SwitchOperation) =>
    serve(
      operation === 'switch' ? routes.managerSwitch : routes.managerFailover,
      async ({ params: { service = '' }, query, caller, audit }) => {
        const { to, accept, id, wait } = query
        audit({
          parameters: {
            ...(to === undefined ? {} : { to }),
            ...(accept === undefined ? {} : { accept }),
            ...(id === undefined ? {} : { id }),
          },
        })
        const task = await opened().start({
          ...{ operation, service, to, id },
          accepted: acceptedBy(accept),
          by: authorOf(caller),
        })
        audit({ after: { task: task.taskId }, changed: true })
        return opened().task(task.taskId, Number(wait ?? 0))
      },
    )
  return [
    ...switchOperations.flatMap((operation) => [planned(operation), made(operation)]),
    serve(routes.managerTask, async ({ params: { task = '' }, query: { wait } }) => {
      if (switcher) return switcher.task(task, Number(wait ?? 0))
      throw new ProblemError({ code: 'not-found', detail: 'This manager has no task of that id.' })
    }),
  ]
}
