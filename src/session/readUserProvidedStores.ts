import { readBoundedFile } from '../base/boundedFile.ts'
import type { CommandContext } from '../cli/context.ts'
import { secretReader } from '../cli/secretReader.ts'
import type { ClusterConfig, HostConfig } from '../config/model.ts'
import type { StorePasswords } from '../deployment/desired/generatedStores.ts'
import type { LoadedStores } from '../deployment/desired/userProvidedStores.ts'
import type { Secret } from '../secrets/secret.ts'

/** Bytes; the largest truststores have a tenth of it. */
export const largestStore = 10 * 1024 * 1024

/** Reads the stores that the file names on this machine; skips those that cannot be read. */
export async function readUserProvidedStores(config: ClusterConfig): Promise<ReadonlyMap<string, Buffer>> {
  const paths = config.hosts
    .flatMap(({ tls }) => [tls.keystorePath, tls.truststorePath])
    .filter((path) => path !== undefined && !path.startsWith('host:'))
  const files = new Map<string, Buffer>()
  for (const path of new Set(paths)) {
    if (path === undefined) continue
    const read = await readBoundedFile(path, { maxBytes: largestStore }).catch(() => undefined)
    if (read !== undefined) files.set(path, read.content)
  }
  return files
}

/**
 * Reads the passwords of the operator's own stores; failures are part of the result. Rejects only with `Interrupted`.
 */
export async function readStoreSecrets(
  context: CommandContext,
  hosts: readonly HostConfig[],
): Promise<Omit<LoadedStores, 'files'>> {
  const read = secretReader(context, { policy: 'all' })
  const passwords = new Map<string, StorePasswords>()
  const failures = new Map<string, { readonly message: string; readonly fix: string }[]>()
  for (const { name, tls } of hosts) {
    const unread: { readonly message: string; readonly fix: string }[] = []
    const secretOf = async (reference: typeof tls.keystorePassword): Promise<Secret | undefined> => {
      const reading = reference === undefined ? undefined : await read(reference)
      if (reading === undefined || 'secret' in reading) return reading?.secret
      unread.push(reading.failure)
      return undefined
    }
    const keystore = await secretOf(tls.keystorePassword)
    const truststore = await secretOf(tls.truststorePassword)
    passwords.set(name, { ...(keystore && { keystore }), ...(truststore && { truststore }) })
    failures.set(name, unread)
  }
  return { passwords, failures }
}
