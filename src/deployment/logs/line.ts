import type { Component } from '../../contracts/component.ts'

/** One line that a component wrote, or that systemd wrote of it. */
export type LogLine = {
  readonly host: string
  readonly component: Component
  /** Milliseconds since 1970 by the host's clock; of a line that has none, that of the line before it. */
  readonly time: number | undefined
  readonly text: string
}

/** All lines by time; those of one log stay in their order. */
export const mergeLines = (logs: readonly (readonly LogLine[])[]): readonly LogLine[] =>
  logs.flat().sort((one, other) => (one.time ?? 0) - (other.time ?? 0))
