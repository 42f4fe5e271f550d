import { resolve } from 'node:path'
import type { CommandContext } from '../../cli/context.ts'
import { readInputFile } from '../../cli/readInputFile.ts'
import type { ThisMachine } from '../../cli/thisMachine.ts'
import { UsageError } from '../../cli/usageError.ts'
import type { Caller } from '../../client/calls.ts'
import { describeEndpoint, type Endpoint, isReadableAuthority, type Trust } from '../../client/endpoint.ts'
import {
  type RegisteredCluster,
  readRegistry,
  registryDirectory,
  removeAbandonedClusters,
} from '../../client/registry.ts'
import type { TrustSource } from './callFailure.ts'
import type { TapiOptions } from './callOptions.ts'
import { chooseTarget, type Target } from './chooseTarget.ts'

/** API to call, with its options, trust and caller. */
export type Call = {
  readonly context: CommandContext
  readonly options: TapiOptions
  readonly target: Target
  readonly trust: TrustSource
  readonly endpoint: Endpoint
  /** Has no credentials; `login` adds them. */
  readonly caller: Caller
  /** Host, component and URL for messages: `db1 manager at https://10.0.0.11:8090`. */
  readonly place: string
}

const warn = (context: CommandContext, text: string) => context.stderr.write(`warning: ${text}\n`)

/**
 * Reads the recorded clusters, removes those whose directory is gone, and prints a warning for a damaged
 * record.
 */
export async function readRecords(context: CommandContext): Promise<RegisteredCluster[]> {
  const dir = registryDirectory(context.env)
  for (const { cluster, directory } of await removeAbandonedClusters(dir)) {
    context.stderr.write(
      `note: removed the record of cluster ${cluster}: its folder ${directory} no longer exists\n`,
    )
  }
  return readRegistry(dir, (text) => warn(context, text))
}

/** Looks up the host in the records and chooses address, port and trust. Throws a `UsageError`. */
export async function prepareCall(preparation: {
  readonly context: CommandContext
  readonly options: TapiOptions
  readonly machine: ThisMachine
  readonly clusters: readonly RegisteredCluster[]
}): Promise<Call> {
  const { context, options, machine, clusters } = preparation
  const target = chooseTarget({ options, clusters, machine, cwd: context.cwd })
  const { source, trust } = await chooseTrust({ context, options, target })
  const { address, port, names } = target
  const endpoint: Endpoint = { kind: 'tcp', address, port, names, trust }
  const place = `${target.found?.host.name ?? options.host} ${target.component} at ${describeEndpoint(endpoint)}`
  if (source === 'none') {
    warn(
      context,
      `--insecure: the certificate of ${place} is not verified. Any server that answers there can read the password.`,
    )
  }
  const trace = (line: string) => context.stderr.write(`${place}: ${line}\n`)
  const caller: Caller = {
    endpoint,
    timeout: options.timeout,
    signal: context.signal,
    ...(context.verbosity === 'verbose' && { trace }),
  }
  return { context, options, target, trust: source, endpoint, caller, place }
}

async function chooseTrust(choice: {
  readonly context: CommandContext
  readonly options: TapiOptions
  readonly target: Target
}): Promise<{ readonly source: TrustSource; readonly trust: Trust }> {
  const { context, options, target } = choice
  if (options.insecure) return { source: 'none', trust: { kind: 'any' } }
  if (options.ca !== undefined) {
    const path = resolve(context.cwd, options.ca)
    const { text } = await readInputFile({ path, what: 'The --ca certificate', pipe: context.signal })
    if (!isReadableAuthority(text)) {
      throw new UsageError(
        `${path} contains no readable PEM certificate.`,
        'Use --ca with the certificate of the authority, a file with a BEGIN CERTIFICATE line.',
      )
    }
    return { source: 'file', trust: { kind: 'authorities', certificates: [text] } }
  }
  if (target.found === undefined) return { source: 'system', trust: { kind: 'system' } }
  const certificates = target.found.cluster.authorities
  return { source: 'record', trust: { kind: 'authorities', certificates } }
}
