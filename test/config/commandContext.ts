import { Readable } from 'node:stream'
import type { CommandContext } from '../../src/cli/context.ts'

/** A context of a test and what was printed to it. */
export function commandContext(given: Partial<CommandContext> & { readonly typed?: string | Buffer }): {
  readonly context: CommandContext
  readonly out: () => string
  readonly err: () => string
} {
  const { typed, ...rest } = given
  const printed = { out: '', err: '' }
  const context: CommandContext = {
    stdin: Readable.from(typed === undefined ? [] : [Buffer.from(typed)]),
    stdout: { write: (text: string) => (printed.out += text), columns: 80 },
    stderr: { write: (text: string) => (printed.err += text), columns: 80 },
    env: { HOME: '/home/ops' },
    cwd: '/nowhere',
    now: () => new Date('2026-01-01T00:00:00Z'),
    signal: new AbortController().signal,
    packageDirectory: '/nowhere',
    version: '0.1.0',
    ...rest,
  }
  return { context, out: () => printed.out, err: () => printed.err }
}
