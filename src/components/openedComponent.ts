import type { Log } from '../api/log.ts'
import type { ComponentApi } from '../api/serve.ts'

/** Log of a component. */
export type ComponentLog = Log

/** A component, with its work beside answering calls. */
export type OpenedComponent = {
  readonly api: ComponentApi
  /** Starts that work; absent where there is none. Rejects with a `StartError`. */
  start?(): Promise<void>
  /** Begins nothing new and lets what is under way end; the API answers meanwhile, and is not ready. */
  stop?(): Promise<void>
  /** Releases everything it holds. */
  close(): void
}
