import type { Log } from '../api/log.ts'
import type { ComponentApi } from '../api/serve.ts'

/** What a component tells its operator beside its calls. */
export type ComponentLog = Log

/** A component and what it does beside answering calls. */
export type OpenedComponent = {
  readonly api: ComponentApi
  /** Begins that; absent where it does nothing else. Rejects with a `StartError`. */
  start?(): Promise<void>
  /** Begins nothing new and lets what is under way end; the API answers meanwhile, and is not ready. */
  stop?(): Promise<void>
  /** Lets go of all that it holds. */
  close(): void
}
