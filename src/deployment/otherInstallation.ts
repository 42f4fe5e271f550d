import type { HostConfig } from '../config/model.ts'
import type { InstallationFacts } from './facts/model.ts'
import { parseManifest } from './manifest.ts'
import { StepError } from './stepError.ts'

/** The install-directory holds the installation of another cluster or host: no command may touch it. */
export function otherInstallation(options: {
  readonly cluster: string
  readonly host: HostConfig
  readonly facts: { readonly installation: Pick<InstallationFacts, 'manifest'> }
}): StepError | undefined {
  const { cluster, host, facts } = options
  const { manifest } = facts.installation
  const installed = manifest === undefined ? undefined : parseManifest(manifest)
  if (installed === undefined) return undefined
  if (installed.cluster === cluster && installed.host === host.name) return undefined
  return new StepError({
    host: host.name,
    code: 'other-installation',
    message: `${host.installDirectory} holds the installation of host ${installed.host} of cluster ${installed.cluster}`,
    fix: 'Choose another install-directory, or uninstall that one with its own file first.',
  })
}
