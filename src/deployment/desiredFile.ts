import { sha256 } from '../base/sha256.ts'
import { Secret } from '../secrets/secret.ts'
import type { Transport } from '../transport/transport.ts'
import type { HostFacts } from './facts/hostFacts.ts'
import type { DesiredFile } from './target.ts'

export function desiredFile(file: Omit<DesiredFile, 'sha256'>): DesiredFile {
  const bytes = file.content instanceof Secret ? file.content.reveal() : file.content
  return { ...file, sha256: sha256(bytes) }
}

/**
 * Desired file whose content is computed each time it is read: most hosts have it already, and all hosts together would
 * need much memory for it.
 */
export function computedFile(
  file: Omit<DesiredFile, 'sha256' | 'content'>,
  content: () => string,
): DesiredFile {
  return {
    ...file,
    sha256: sha256(content()),
    get content() {
      return Buffer.from(content())
    },
  }
}

/** Returns the owner of what a deployment writes. */
export const loginOwner = ({ login, group }: HostFacts): string => `${login}:${group}`

/** Returns a path relative to `root` if it is below it, otherwise unchanged. */
export const belowRoot = (path: string, root: string): string =>
  path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path

/** Describes how a host's file differs from the desired one; names it by its path below `root`. */
export function fileDifference(facts: HostFacts, file: DesiredFile, root: string): string | undefined {
  const is = facts.installation.files.get(file.path)
  const name = belowRoot(file.path, root)
  if (is === undefined) return `${name}: new`
  const content = file.content instanceof Secret ? '[redacted] changed' : 'changed'
  if (is.sha256 !== file.sha256) return `${name}: ${content}`
  if (is.mode !== file.mode) return `${name}: mode ${is.mode.toString(8)} → ${file.mode.toString(8)}`
  return is.owner === file.owner ? undefined : `${name}: owner ${is.owner} → ${file.owner}`
}

/** Writes the files that differ in one round trip, each atomically; only root can set their owner. */
export async function writeFiles(options: {
  readonly transport: Transport
  readonly facts: HostFacts
  readonly files: readonly DesiredFile[]
}): Promise<void> {
  const { transport, facts, files } = options
  const differing = files.filter((file) => fileDifference(facts, file, '') !== undefined)
  const uploads = differing.map(({ path, content, mode, owner }) => ({
    path,
    content,
    mode,
    ...(facts.uid === 0 ? { owner } : {}),
  }))
  await transport.upload(...uploads)
}
