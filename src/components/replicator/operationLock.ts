import { ProblemError } from '../../api/problemError.ts'

/** Operations that change the replication of a server. */
export type Operation = 'online' | 'offline' | 'reset'

type RunningOperation = { readonly operation: Operation; readonly services: ReadonlySet<string> }

export type OperationLock = {
  /** The operation that runs now. */
  running(): RunningOperation | undefined
  /** Names the services of the operation that runs. */
  setServices(services: ReadonlySet<string>): void
  /** Begins an operation, or throws an `operation-running` problem. What it returns ends it. */
  begin(operation: Operation): () => void
}

/** Lets one operation on a server run at a time. */
export function createOperationLock(): OperationLock {
  let current: RunningOperation | undefined
  return {
    running: () => current,
    setServices: (services) => {
      if (current) current = { ...current, services }
    },
    begin: (operation) => {
      if (current) {
        const detail = `The operation ${current.operation} is under way. Try again when it has ended; replicator/status shows it.`
        throw new ProblemError({ code: 'operation-running', detail })
      }
      current = { operation, services: new Set() }
      return () => {
        current = undefined
      }
    },
  }
}
