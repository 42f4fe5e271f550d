import type { Define } from '../cli/command.ts'
import type { Example } from '../cli/help/helpText.ts'

/** Headings below which `muster --help` lists the commands. */
export const groups = {
  start: 'Start here',
  change: 'Change',
  look: 'Look',
  access: 'Users and certificates',
  databases: 'Databases',
  files: 'Files',
  program: 'muster itself',
} as const

/** A command, and where the rest of its definition is. */
export type CommandRow = {
  readonly name: string
  /** Heading in the help of the command above; absent: Commands. */
  readonly group?: (typeof groups)[keyof typeof groups]
  readonly description: string
  readonly examples: readonly Example[]
  /** Imports the command's file, which is heavy: run when the command is used. Absent for a group. */
  readonly load?: () => Promise<Define>
  readonly below?: readonly CommandRow[]
}
