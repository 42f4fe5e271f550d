import type { SecretReference } from '../../secrets/reference.ts'
import { options } from '../settings/options.ts'
import type { SecretEntry } from '../types/secretMap.ts'
import type { Resolved, ResolvedHost } from './resolved.ts'

/** A user of `rest-api-users` and the password that the file gives, if it does. */
export type ResolvedUser = Resolved<SecretReference> & { readonly given: SecretEntry }

/** The users that a host is given beside its administrator, in the order of the file. */
export function usersOf(host: Pick<ResolvedHost, 'option'>): readonly ResolvedUser[] {
  const { value = [], origin } = host.option(options.users)
  return value.map((given) => ({ value: given.value, origin, given }))
}
