import { nearest } from '../diagnostics/nearest.ts'
import { allHooks } from './settings/hooks.ts'
import { allOptions, options } from './settings/options.ts'
import { allFile, allHost, allService, file } from './settings/places.ts'
import { spellings } from './settings/setting.ts'
import { allSsh } from './settings/ssh.ts'

const secrets = new Set(spellings([...allOptions, ...allSsh].filter(({ secret }) => secret)))
const known = new Set(
  spellings([...allOptions, ...allSsh, ...allHooks, ...allFile, ...allHost, ...allService]),
)

/** Returns true if any place of the file has this name. */
const isKnownName = (name: string): boolean => known.has(name)

/** Returns true for a secret option, also if misspelt. */
const isSecretName = (name: string): boolean =>
  secrets.has(name) || (!known.has(name) && nearest(name, [...secrets]) !== undefined)

/**
 * Returns true for a name of this file that can be no piece of a password: one of at least four letters, or a longer
 * one that is nearly right.
 */
const isRecognized = (name: string): boolean =>
  name.length >= 4 && (known.has(name) || (name.length >= 8 && nearest(name, [...known]) !== undefined))

/** The lookups that the file reader needs. */
export const fileNames = {
  isSecret: isSecretName,
  isUserMap: (name: string): boolean => name === options.users.name,
  isWebhooks: (name: string): boolean => name === file.notify.name,
  isKnown: isKnownName,
  isRecognized,
} as const
