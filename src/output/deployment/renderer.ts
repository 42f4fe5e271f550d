import type { Emit } from '../../deployment/events.ts'

/** Shows events as they come. `end` resolves when everything is on the screen. */
export type Renderer = { readonly emit: Emit; readonly end: () => Promise<void> }
