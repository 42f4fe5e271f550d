import { jsonText } from '../../base/json.ts'
import type { FoundCertificate, HostCertificates } from '../../deployment/certificates/hostCertificates.ts'

/** The facts of certificates for programs; a null is a certificate that is not there or not known. */
export function certificatesJson(shown: {
  readonly cluster: string
  readonly authority?: FoundCertificate['facts']
  readonly hosts: readonly HostCertificates[]
}): string {
  const { cluster, authority = null } = shown
  return jsonText({ cluster, authority, hosts: shown.hosts.map(hostJson) })
}

function hostJson({ onDisk, expected, components, ...known }: HostCertificates): object {
  const facts = (one: FoundCertificate | undefined) => one?.facts ?? null
  return {
    ...known,
    onDisk: facts(onDisk),
    ...(expected && { nextInstallWrites: expected.facts }),
    components: components.map(({ served, ...component }) => ({
      ...component,
      served: facts(served),
      ...(served && onDisk && { asOnDisk: served.facts.fingerprint === onDisk.facts.fingerprint }),
    })),
  }
}
