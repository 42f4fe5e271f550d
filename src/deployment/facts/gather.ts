import type { Transport } from '../../transport/transport.ts'
import { StepError } from '../stepError.ts'
import type { HostFacts, InstalledFacts } from './model.ts'
import { parseFacts, parseInstalled } from './parse.ts'
import { type FactsRequest, factsScript, type InstalledRequest, installedScript } from './script.ts'

/** Reads the facts of one host in one round trip; rejects with a `TransportError` or a `StepError`. */
export const gatherFacts = async (transport: Transport, request: FactsRequest): Promise<HostFacts> =>
  parseFacts(transport.host, await printed(transport, factsScript(request)))

/** The same of what is installed and runs there, which is much less work for the host. */
export const gatherInstalled = async (
  transport: Transport,
  request: InstalledRequest,
): Promise<InstalledFacts> =>
  parseInstalled(transport.host, await printed(transport, installedScript(request)))

async function printed(transport: Transport, script: string): Promise<string> {
  const { code, stdout, stderr } = await transport.run(script)
  if (code === 0) return stdout
  throw new StepError({
    host: transport.host,
    code: 'facts-failed',
    message: `reading the host's facts ended with ${code}: ${stderr.trim()}`,
    fix: 'The host needs a POSIX sh, coreutils, findutils, grep and sed.',
  })
}
