import { randomBytes } from 'node:crypto'
import type { Transport } from '../../transport/transport.ts'
import type { Installation } from '../installedAccount.ts'
import { StepError } from '../stepError.ts'
import { type FactsRequest, factsScript, installedScript } from './factsScript.ts'
import type { HostFacts, InstalledFacts } from './hostFacts.ts'
import { parseFacts, parseInstalled } from './parseFacts.ts'

/** Reads the facts of one host in one round trip; rejects with a `TransportError` or a `StepError`. */
export async function gatherFacts(transport: Transport, request: FactsRequest): Promise<HostFacts> {
  const nonce = makeNonce()
  return parseFacts(transport.host, { output: await printed(transport, factsScript(request, nonce)), nonce })
}

/** Reads only what is installed on a host and runs there, which is much cheaper for the host. */
export async function gatherInstalled(transport: Transport, request: Installation): Promise<InstalledFacts> {
  const nonce = makeNonce()
  return parseInstalled(transport.host, {
    output: await printed(transport, installedScript(request, nonce)),
    nonce,
  })
}

/** Returns an unpredictable mark for the rows of one run, so that no content on the host can imitate them. */
const makeNonce = (): string => randomBytes(16).toString('hex')

async function printed(transport: Transport, script: string): Promise<string> {
  const { code, stdout, stderr } = await transport.run(script)
  if (code === 0) return stdout.raw()
  throw new StepError({
    host: transport.host,
    code: 'facts-failed',
    message: `reading the facts of the host failed with exit code ${code}: ${stderr}`,
    fix: 'The host needs a POSIX sh, coreutils, findutils, grep, sed and util-linux.',
  })
}
