import type { ClusterConfig, HostConfig } from '../config/model.ts'
import type { ResolvedSecrets } from '../deployment/prepare.ts'
import type { SecretReference } from '../secrets/reference.ts'
import { resolveReference } from '../secrets/resolveReference.ts'
import type { Secret } from '../secrets/secret.ts'
import type { CommandContext } from './context.ts'
import { secretSources } from './secretSources.ts'

/** Fetches every secret the file refers to, each source once. Rejects with a `SecretError`. */
export async function resolveSecrets(
  context: CommandContext,
  config: ClusterConfig,
): Promise<ResolvedSecrets> {
  const sources = secretSources(context)
  const bySource = new Map<string, Promise<Secret>>()
  const secrets = new Map<SecretReference, Secret>()
  for (const reference of config.hosts.flatMap(referencesOf)) {
    const secret = fetchOnce(bySource, reference, () => resolveReference(reference, sources))
    secrets.set(reference, await secret)
  }
  return secrets
}

const referencesOf = (host: HostConfig): SecretReference[] =>
  [host.admin?.password, host.tls.keystorePassword, host.tls.truststorePassword].filter(
    (reference) => reference !== undefined,
  )

/** A program that `!exec` names may ask a person or cost time: it runs once however many hosts use it. */
function fetchOnce(
  done: Map<string, Promise<Secret>>,
  reference: SecretReference,
  fetch: () => Promise<Secret>,
): Promise<Secret> {
  if (reference.kind === 'literal') return fetch()
  const source = JSON.stringify(reference)
  const secret = done.get(source) ?? fetch()
  done.set(source, secret)
  return secret
}
