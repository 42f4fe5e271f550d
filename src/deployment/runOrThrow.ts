import type { RunOptions, RunResult, Transport } from '../transport/transport.ts'
import { StepError } from './stepError.ts'

/** Runs a script that must exit with 0; otherwise rejects with a `StepError` that quotes the host. */
export async function runOrThrow(
  transport: Transport,
  options: RunOptions & { readonly script: string; readonly doing: string; readonly fix: string },
): Promise<RunResult> {
  const { script, doing, fix, ...run } = options
  const result = await transport.run(script, run)
  if (result.code === 0) return result
  const words = String(result.stderr) || String(result.stdout)
  throw new StepError({
    host: transport.host,
    code: 'step-failed',
    message: `${doing} failed: ${words || `exit code ${result.code}`}`,
    fix,
  })
}
