import type { SecretReference } from '../../secrets/reference.ts'
import { Secret } from '../../secrets/secret.ts'
import type { SecretEntry } from '../types/secretMap.ts'
import type { Plain } from '../types/type.ts'

/** What tells a plain value from others. */
export const identityOf = (value: Plain): Secret => new Secret(JSON.stringify(value))

/** What tells a secret from others: its text, or the variable, path or command it is read from. */
export function identityOfSecret(reference: SecretReference): Secret {
  switch (reference.kind) {
    case 'literal':
      return new Secret(`literal ${reference.value.reveal()}`)
    case 'env':
      return new Secret(`env ${reference.name}`)
    case 'file':
      return new Secret(`file ${reference.path}`)
    case 'exec':
      return new Secret(`exec ${JSON.stringify(reference.command)}`)
  }
}

/** The same for named secrets, each of them given or not. */
export const identityOfSecrets = (entries: readonly SecretEntry[]): Secret =>
  new Secret(
    JSON.stringify(
      entries.map(({ name, value }) => [name, value === undefined ? null : identityOfSecret(value).reveal()]),
    ),
  )
