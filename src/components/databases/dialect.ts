import type { Channel, Position } from './channel.ts'
import type { Row } from './connection.ts'

/** What one kind of server calls things: statements and how their answers are read. */
export type Dialect = {
  /** The name that people know. */
  readonly title: string
  readonly channels: string
  readonly readChannel: (row: Row) => Channel
  /** Statements about the server's own binary log; the first answers no row where it is switched off. */
  readonly position: readonly [string, string]
  readonly readPosition: (log: Row, more: Row) => Position
  readonly start: (channel: string) => string
  readonly stop: (channel: string) => string
  readonly reset: (channel: string) => string
}
