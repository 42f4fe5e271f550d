import type { HostConfig } from '../../config/model.ts'
import type { HostFacts } from '../facts/hostFacts.ts'
import { StepError } from '../stepError.ts'
import type { OwnNode } from './ownNode.ts'
import { type Architecture, architectureOf, oldestMaintainedMajor, pinnedRuntime } from './pinnedRuntime.ts'

/** Node.js binary sent to hosts; its id is derived from its content, so it is sent once. */
export type SentRuntime = {
  readonly kind: 'sent'
  /** Folder below `runtimes/`. */
  readonly id: string
  readonly architecture: Architecture
  /** Of the unpacked binary, in hexadecimal. */
  readonly sha256: string
  /** Expected output of `node --version`; unknown for a --runtime-file. */
  readonly version?: string
}

/** Runtime packed with gzip, and the SHA-256 of these bytes in hexadecimal. */
export type PackedRuntime = { readonly bytes: Buffer; readonly sha256: string }

/** Node.js of a release that is on the host. */
export type KeptRuntime = { readonly kind: 'kept'; readonly path: string; readonly release: string }

/** Node.js that runs the components of a host. */
export type RuntimeChoice =
  | { readonly kind: 'host'; readonly path: string; readonly version: string }
  | SentRuntime
  | KeptRuntime

/** Binary that the operator gave with --runtime-file. */
export type RuntimeFile = { readonly sha256: string; readonly architecture: Architecture }

/**
 * Chooses the runtime of a host: on this machine the Node.js that runs muster; elsewhere the host's own if its major
 * version is maintained and only root can change it; otherwise one is sent. muster's single executable is sent on this
 * machine, too: a file that was downloaded is moved, replaced and removed. Throws a `StepError` if the options allow none.
 */
export function chooseRuntime(options: {
  readonly host: HostConfig
  readonly facts: HostFacts
  readonly ownNode: OwnNode
  readonly file?: RuntimeFile | undefined
}): Exclude<RuntimeChoice, KeptRuntime> {
  const { host, facts, ownNode } = options
  if (host.runtime === 'upload') return sentRuntime(options)
  if (host.connection === 'local' && ownNode.single === undefined) return { kind: 'host', ...ownNode }
  const problem = hostNodeProblem(facts)
  if (problem === undefined && facts.node !== undefined) {
    return { kind: 'host', path: facts.node.path, version: facts.node.version }
  }
  if (host.runtime === 'host') {
    throw new StepError({
      host: host.name,
      code: 'no-host-runtime',
      message: `runtime is host, but ${problem}`,
      fix: `Install Node.js ${oldestMaintainedMajor} or newer there as root, or set runtime to auto.`,
    })
  }
  return sentRuntime(options)
}

/** Returns true if the components of a host run on a Node.js sent by muster. */
export function isRuntimeSent(host: Pick<HostConfig, 'connection' | 'runtime'>, facts: HostFacts): boolean {
  if (host.runtime !== 'auto') return host.runtime === 'upload'
  return host.connection !== 'local' && hostNodeProblem(facts) !== undefined
}

function hostNodeProblem(facts: HostFacts): string | undefined {
  if (facts.node === undefined) return 'the host has no Node.js'
  const major = Number(/^v(\d+)\./.exec(facts.node.version)?.[1] ?? 0)
  if (major < oldestMaintainedMajor) {
    return `its ${facts.node.path} is ${facts.node.version || 'not runnable'}, which is no longer maintained`
  }
  return facts.node.rootOwned ? undefined : `users other than root can change its ${facts.node.path}`
}

function sentRuntime({ host, facts, ownNode, file }: Parameters<typeof chooseRuntime>[0]): SentRuntime {
  const architecture = architectureOf(facts.machine)
  if (file?.architecture === architecture) {
    return { kind: 'sent', id: `node-${file.sha256.slice(0, 12)}`, architecture, sha256: file.sha256 }
  }
  const { single } = ownNode
  if (single?.architecture === architecture) {
    return releasedRuntime({ architecture, sha256: single.sha256, version: ownNode.version })
  }
  if (file !== undefined) {
    throw new StepError({
      host: host.name,
      code: 'wrong-architecture',
      message: `the --runtime-file is for ${file.architecture}, but the host is ${architecture}`,
      fix: `Use a Node.js binary for linux-${architecture}.`,
    })
  }
  const { version, sha256 } = pinnedRuntime
  return releasedRuntime({ architecture, sha256: sha256[architecture], version: `v${version}` })
}

function releasedRuntime(
  known: Required<Pick<SentRuntime, 'architecture' | 'sha256' | 'version'>>,
): SentRuntime {
  return { kind: 'sent', id: `node-${known.version.slice(1)}-${known.sha256.slice(0, 12)}`, ...known }
}
