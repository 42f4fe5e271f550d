import type { CommandContext } from '../../../src/cli/context.ts'
import { muster } from '../../../src/commands/muster.ts'
import type { Severity } from '../../../src/diagnostics/diagnostic.ts'
import { commandContext } from '../../config/commandContext.ts'

type Finding = {
  readonly code: string
  readonly severity: Severity
  readonly message: string
  readonly why: string
  readonly fix: string
  readonly file: string
  readonly line: number
  readonly column: number
  readonly related: readonly { readonly file: string; readonly line: number; readonly column: number }[]
}

/** Runs `muster validate` in a folder, as text and as JSON. */
export async function validated(
  cwd: string,
  options: Partial<CommandContext> & { readonly argv?: readonly string[]; readonly typed?: string } = {},
): Promise<{ readonly code: number; readonly out: string; readonly findings: readonly Finding[] }> {
  const { argv = [], ...given } = options
  const run = async (...words: readonly string[]): Promise<{ code: number; out: string; err: string }> => {
    const { context, out, err } = commandContext({ cwd, ...given })
    const code = await muster({ argv: ['validate', ...words, ...argv], context })
    return { code, out: out(), err: err() }
  }
  const { code, out, err } = await run()
  const { findings } = JSON.parse((await run('--json')).out) as { findings: readonly Finding[] }
  return { code, out: out + err, findings }
}

/** What was found where: `4:24 weak-password`. */
export const places = (findings: readonly Finding[]): readonly string[] =>
  findings.map(({ line, column, code }) => `${line}:${column} ${code}`)
