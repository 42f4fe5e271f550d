import type { PictureService } from '../../../src/contracts/clusterPicture.ts'
import type { TaskPayload } from '../../../src/contracts/managerPayloads.ts'
import { atSecond, service, start, wellCluster } from '../../dashboard/pictures.ts'
import { playOf } from '../../dashboard/play.ts'
import type { Play } from '../../dashboard/standIn.ts'

/** A switch from db1 to db2 that began five seconds ago, or what it came to. */
export const switchTask = (changed: Partial<TaskPayload> = {}): TaskPayload => ({
  taskId: 'a1b2c3',
  state: 'in_progress',
  operation: 'switch',
  service: 'alpha',
  step: 'catch-up',
  startedAt: atSecond(-5),
  endedAt: null,
  result: null,
  error: null,
  ...changed,
})

/** The service while it is switched. */
export const switchedService = (task: TaskPayload, writer = 'db1'): PictureService =>
  service({
    task,
    writer: {
      datasource: writer,
      code: null,
      reason: null,
      hold: task.endedAt === null,
      ...(task.endedAt === null && { switching: { from: 'db1', to: 'db2' } }),
    },
  })

/** A play whose cluster alpha is being switched, with seven clients that wait. */
export function switching(): Play {
  const well = wellCluster()
  const [first, ...others] = well.hosts
  if (first?.connector == null) throw new Error('the first host has a connector')
  const cluster = {
    ...well,
    services: [switchedService(switchTask())],
    hosts: [{ ...first, connector: { ...first.connector, held: 7 } }, ...others],
  }
  return { ...playOf('all'), snapshot: () => ({ kind: 'snapshot', time: start, clusters: [cluster] }) }
}
