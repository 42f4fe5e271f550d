import { isAbsolute, relative, sep } from 'node:path'
import type { SecretReference } from './reference.ts'

/**
 * Limit for reading the secrets of a file. `safe`: the file may come from a stranger, so run no program and
 * read no file outside of its folder. `all`: as install does.
 */
export type SecretPolicy = 'safe' | 'all'

/** Reason why a secret was not read, as a part of a sentence, and the fix. */
export type Refusal = { readonly reason: string; readonly fix: string }

/** Returns true if a path lies below a folder, both absolute; does not follow links. */
export function isBelow(path: string, folder: string): boolean {
  const way = relative(folder, path)
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

export const trustFix = 'Use --resolve-secrets if you trust the file.'

/** Returns the folder that a secret file must lie in; undefined without a limit. */
export const requiredFolder = (reference: SecretReference, policy: SecretPolicy): string | undefined =>
  policy === 'all' || reference.kind !== 'file' ? undefined : reference.at?.directory

/** Explains why the policy forbids to read a reference; undefined if its text allows it. */
export function policyRefusal(reference: SecretReference, policy: SecretPolicy): Refusal | undefined {
  if (policy === 'all') return undefined
  if (reference.kind === 'exec') {
    return { reason: 'it comes from a program, and programs are not run here', fix: trustFix }
  }
  const bound = requiredFolder(reference, policy)
  if (reference.kind !== 'file' || bound === undefined || isBelow(reference.path, bound)) return undefined
  const name = reference.written ?? reference.path
  return { reason: `${name} is outside the folder of the YAML file`, fix: trustFix }
}
