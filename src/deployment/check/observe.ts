import type { Transport } from '../../transport/transport.ts'
import { StepError } from '../stepError.ts'
import type { Observations } from './observations.ts'
import { parseObservations } from './parse.ts'
import { observeScript } from './script.ts'

/** Looks at one host in one round trip; rejects with a `TransportError` or a `StepError`. */
export async function observe(
  transport: Transport,
  options: { readonly installDirectory: string; readonly names: readonly string[]; readonly now: () => Date },
): Promise<Observations> {
  const asked = options.now()
  const { code, stdout, stderr } = await transport.run(observeScript(options.installDirectory, options.names))
  const seen = parseObservations(stdout.raw(), asked)
  if (code === 0 && Number.isFinite(seen.clockOffset)) return seen
  throw new StepError({
    host: transport.host,
    code: 'facts-failed',
    message: `looking at the host ended with ${code}: ${String(stderr) || 'it returned no time'}`,
    fix: 'The host needs a POSIX sh, coreutils, grep and sed.',
  })
}
