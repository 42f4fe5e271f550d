import type { Transport } from '../../transport/transport.ts'
import { StepError } from '../stepError.ts'
import type { HostFacts } from './model.ts'
import { parseFacts } from './parse.ts'
import { type FactsRequest, factsScript } from './script.ts'

/** Reads the facts of one host in one round trip; rejects with a `TransportError` or a `StepError`. */
export async function gatherFacts(transport: Transport, request: FactsRequest): Promise<HostFacts> {
  const result = await transport.run(factsScript(request))
  if (result.code !== 0) {
    throw new StepError({
      host: transport.host,
      code: 'facts-failed',
      message: `reading the host's facts ended with ${result.code}: ${result.stderr.trim()}`,
      fix: 'The host needs a POSIX sh, coreutils, findutils and sed.',
    })
  }
  return parseFacts(transport.host, result.stdout)
}
