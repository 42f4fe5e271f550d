import { nearest } from '../diagnostics/nearest.ts'
import { allOptions, options } from './settings/options.ts'
import { allFile, allHost, allService } from './settings/places.ts'
import { spellings } from './settings/setting.ts'
import { allSsh } from './settings/ssh.ts'

const secrets = new Set(spellings([...allOptions, ...allSsh].filter(({ secret }) => secret)))
const known = new Set(spellings([...allOptions, ...allSsh, ...allFile, ...allHost, ...allService]))

/** Whether any place of the file knows this name. */
export const isKnownName = (name: string): boolean => known.has(name)

/** Whether an option of this name is a secret, or was probably meant to be one. */
export const isSecretName = (name: string): boolean =>
  secrets.has(name) || (!known.has(name) && nearest(name, [...secrets]) !== undefined)

/** All three as the reader of a file asks. */
export const fileNames = {
  isSecret: isSecretName,
  isSecretMap: (name: string): boolean => name === options.users.name,
  isKnown: isKnownName,
} as const
