import { isAbsolute, relative, sep } from 'node:path'
import type { SecretReference } from './reference.ts'

/**
 * How far a file may reach for its secrets. `safe`: it may be a stranger's, so no program of his is run and no
 * file outside of his own folder is read. `all`: as install does it.
 */
export type SecretPolicy = 'safe' | 'all'

/** Why something was not read, as a part of a sentence, and the fix. */
export type Refusal = { readonly reason: string; readonly fix: string }

/** Whether a path lies below a folder, both absolute; what links lead to is not looked at. */
export function isBelow(path: string, folder: string): boolean {
  const way = relative(folder, path)
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

/** How to allow what a policy forbids. */
export const trustFix = 'If you trust the file, give --resolve-secrets.'

/** The folder that a file of secrets must lie in; undefined where it may lie anywhere. */
export const boundOf = (reference: SecretReference, policy: SecretPolicy): string | undefined =>
  policy === 'all' || reference.kind !== 'file' ? undefined : reference.at?.directory

/** Why this policy leaves a reference alone; undefined when it may be read, as far as its text tells. */
export function withheld(reference: SecretReference, policy: SecretPolicy): Refusal | undefined {
  if (policy === 'all') return undefined
  if (reference.kind === 'exec') {
    return { reason: 'it comes from a program, and none is run here', fix: trustFix }
  }
  const bound = boundOf(reference, policy)
  if (reference.kind !== 'file' || bound === undefined || isBelow(reference.path, bound)) return undefined
  const name = reference.written ?? reference.path
  return { reason: `${name} lies outside of the folder of the YAML file`, fix: trustFix }
}
