import type { CommandContext } from '../cli/context.ts'
import { exitCodes } from '../cli/exitCodes.ts'
import { ExitError } from '../cli/exitError.ts'
import { printDiagnostics } from '../cli/printDiagnostics.ts'
import { secretReader } from '../cli/secretReader.ts'
import type { HostConfig } from '../config/model.ts'
import { givenPasswords, type ResolvedSecrets, secretsOfInstallation } from '../deployment/prepare.ts'
import type { SecretReference } from '../secrets/reference.ts'
import type { Secret } from '../secrets/secret.ts'
import type { OpenedCluster } from './openCluster.ts'
import { readSecrets, secretFindings } from './secretFindings.ts'
import { withoutSilenced } from './withoutSilenced.ts'

/**
 * Reads the secrets of the selected hosts, by default all that an installation needs, each source once, and reports the
 * findings of `validate --resolve-secrets` about them. Throws an `ExitError` if there is an error among them. Rejects
 * only with that or `Interrupted`.
 */
export async function resolveSecrets(
  context: CommandContext,
  { config, loaded }: OpenedCluster,
  needed: (host: HostConfig) => readonly SecretReference[] = secretsOfInstallation,
): Promise<ResolvedSecrets> {
  const policy = 'all'
  const read = secretReader(context, { policy })
  const { cluster: whole, sources } = loaded
  if (whole === undefined) throw new Error('secrets were requested of files that could not be read')
  const names = new Set(config.hosts.map(({ name }) => name))
  const cluster = { ...whole, hosts: whole.hosts.filter(({ name }) => names.has(name)) }
  const references = config.hosts.flatMap(needed)
  const places = new Set(references.map(placeOf))
  // Literal secrets were checked with the file.
  const wanted = (one: SecretReference): boolean => one.kind !== 'literal' && places.has(placeOf(one))
  const readings = await readSecrets({ cluster, read, wanted })
  const found = secretFindings({ cluster, readings, policy })
  const left = withoutSilenced(loaded, { findings: found })
  const codes = new Set<string>(['too-many-findings', ...found.map(({ code }) => code)])
  // What else the comments of the files gave rise to was reported when they were opened.
  const diagnostics = left.findings.filter(({ code }) => codes.has(code))
  const shown = { diagnostics, sources, silenced: left.silenced.length }
  printDiagnostics(shown, { context, output: context.stderr })
  if (found.some(({ severity }) => severity === 'error')) throw new ExitError(exitCodes.failed)
  const secrets = new Map<SecretReference, Secret>()
  for (const reference of references) {
    const reading = await read(reference)
    if ('failure' in reading) throw reading.failure
    secrets.set(reference, reading.secret)
  }
  return secrets
}

const placeOf = (reference: SecretReference): string | undefined =>
  reference.kind === 'literal' ? undefined : reference.at?.place

/**
 * Reads the passwords that the file gives for users of the APIs, by host and user. Reports findings and fails as
 * `resolveSecrets` does.
 */
export async function readUserPasswords(
  context: CommandContext,
  opened: OpenedCluster,
): Promise<ReadonlyMap<string, ReadonlyMap<string, Secret>>> {
  const secrets = await resolveSecrets(context, opened, ({ users }) =>
    users.flatMap(({ password }) => password ?? []),
  )
  return new Map(opened.config.hosts.map((host) => [host.name, givenPasswords(host, secrets)]))
}
