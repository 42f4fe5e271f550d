import type { ReferencePlace, SecretReference } from '../secrets/reference.ts'
import { absolutePath, type Paths } from './paths.ts'
import type { Resolved } from './resolve/resolved.ts'
import { secretOptions, sshSecrets } from './secretOptions.ts'
import { setSource } from './sets.ts'
import { options } from './settings/options.ts'
import type { Given } from './settings/setting.ts'
import { type Draft, givenFor, type Values, valueFor } from './shape/draft.ts'

function literalsOf(values: Values): readonly Given[] {
  const users = (valueFor(values, options.users) ?? []).filter(({ value }) => value?.kind === 'literal')
  const others = [...secretOptions, ...sshSecrets].flatMap((setting) => {
    const given = givenFor(values, setting)
    // A secret option's own type is the only one that puts a value under its name.
    const value = given?.value as SecretReference | undefined
    return given !== undefined && value?.kind === 'literal' ? [given] : []
  })
  return [...others, ...users]
}

/** Lists every literal secret of a file, used or not. */
export const literalSecrets = (draft: Draft): readonly Given[] => [
  ...literalsOf(draft.defaults),
  ...literalsOf(draft.ssh),
  ...[...draft.services.values()].flatMap(({ options }) => literalsOf(options)),
  ...[...draft.hosts.values()].flatMap(({ ssh, options }) => [...literalsOf(ssh), ...literalsOf(options)]),
]

/**
 * Completes the reference of an option for reading: absolute path, place and folder. Undefined without a
 * value.
 */
export function locatedSecret(
  resolved: Resolved<SecretReference>,
  paths: Paths,
): SecretReference | undefined {
  const { value, given } = resolved
  if (value === undefined || value.kind === 'literal' || given === undefined) return value
  const { file, line, column } = given.span
  // The operator's own input is trusted: the folder limit is for references in files.
  const directory = file === setSource ? undefined : paths.directories.get(file)
  const at: ReferencePlace = {
    option: given.spelling,
    place: `${file}:${line}:${column}`,
    ...(directory === undefined ? {} : { directory }),
  }
  if (value.kind !== 'file') return { ...value, at }
  const path = absolutePath(value.path, { span: given.span, paths })
  return { kind: 'file', path, written: value.path, at }
}
