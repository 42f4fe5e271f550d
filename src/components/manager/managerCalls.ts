import { type Call, type ServedRoute, serve } from '../../api/serve.ts'
import type { DataSourceOperation } from '../../contracts/dataSourceOperations.ts'
import type { Policy } from '../../contracts/managerPayloads.ts'
import { managerRoutes as routes } from '../../contracts/managerRoutes.ts'
import type { ManagerPlace } from '../../contracts/serverSettings.ts'
import type { AskConnector } from './askConnector.ts'
import { authorOf } from './authorOf.ts'
import type { Manager } from './createManager.ts'
import { mapCalls } from './mapCalls.ts'
import { bringServiceOnline, type Order, operate, takeServiceOffline } from './operate.ts'
import { readingCalls } from './readingCalls.ts'
import { dataSourceStatus, serviceStatus } from './statusPayloads.ts'

/** A manager and what its answers tell beside it. */
export type ServedManager = {
  readonly manager: Manager
  readonly identity: {
    readonly cluster: string
    readonly host: string
    /** The service of this host and its data source there. */
    readonly member: ManagerPlace
    readonly parentPid: () => number
  }
  /** Absent where the host has no connector. */
  readonly askConnector: AskConnector | undefined
  /** Absent where the host has no connector. */
  readonly updateConnector?: (() => Promise<void>) | undefined
}

/** The calls of a manager, beside the common ones. */
export function managerCalls(served: ServedManager): readonly ServedRoute[] {
  const { manager, askConnector } = served
  const orderOf = (operation: DataSourceOperation, { caller, audit }: Call<null>): Order => ({
    manager,
    operation,
    by: authorOf(caller),
    audit,
  })
  /** Asked first: what an answer says of states is then what the call has just made of them. */
  const connectorNow = async () => (await askConnector?.()) ?? null

  /** A change is answered when the connector of the host forwards by it, also one that a call before made just now. */
  const inForce = async <Answer>(answer: Answer): Promise<Answer> => {
    await served.updateConnector?.()
    return answer
  }

  const onDataSource = (operation: DataSourceOperation) => async (call: Call<null>) => {
    const { service = '', datasource: name = '' } = call.params
    const key = { service, name }
    const connector = await connectorNow()
    const changed = await operate(orderOf(operation, call), key)
    return inForce({ ...dataSourceStatus({ manager, key, connector }), changed })
  }
  const onService =
    (operation: DataSourceOperation, work: (order: Order, service: string) => boolean | Promise<boolean>) =>
    async (call: Call<null>) => {
      const { service = '' } = call.params
      const connector = await connectorNow()
      let changed: boolean
      try {
        changed = await work(orderOf(operation, call), service)
      } catch (error) {
        // Some of them may have changed all the same.
        await inForce(undefined)
        throw error
      }
      return inForce({ ...serviceStatus({ manager, service, connector }), changed })
    }
  const setPolicy = (policy: Policy) => async (call: Call<null>) => {
    const { service = '' } = call.params
    const connector = await connectorNow()
    const before = manager.policy(service)
    const changed = manager.setPolicy(service, policy)
    call.audit({ before, after: policy, changed })
    return { ...serviceStatus({ manager, service, connector }), changed }
  }

  return [
    ...readingCalls(served),
    serve(routes.managerServiceOffline, onService('offline', takeServiceOffline)),
    serve(routes.managerServiceOnline, onService('online', bringServiceOnline)),
    serve(routes.managerOffline, onDataSource('offline')),
    serve(routes.managerOnline, onDataSource('online')),
    serve(routes.managerShun, onDataSource('shun')),
    serve(routes.managerWelcome, onDataSource('welcome')),
    serve(routes.managerRecover, onDataSource('recover')),
    serve(routes.managerAutomatic, setPolicy('AUTOMATIC')),
    serve(routes.managerManual, setPolicy('MANUAL')),
    serve(routes.managerMaintenance, setPolicy('MAINTENANCE')),
    ...mapCalls(manager, inForce),
  ]
}
