import type { SecretReference } from '../secrets/reference.ts'
import { secretOptions, sshSecrets } from './secretOptions.ts'
import { options } from './settings/options.ts'
import type { Draft } from './shape/draft.ts'
import { type Given, givenFor, type Values, valueFor } from './shape/values.ts'

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

/** Every secret that a file writes out, whether a host uses it or not. */
export const literalSecrets = (draft: Draft): readonly Given[] => [
  ...literalsOf(draft.defaults),
  ...literalsOf(draft.ssh),
  ...[...draft.services.values()].flatMap(({ options }) => literalsOf(options)),
  ...[...draft.hosts.values()].flatMap(({ ssh, options }) => [...literalsOf(ssh), ...literalsOf(options)]),
]
