import { wrap } from '../../base/wrapping.ts'
import { bundleNames, bundlePaths, identityPath, usage } from './applyScript.ts'
import type { BundleDescription } from './bundleDescription.ts'

const columns = 100

/** Returns the text for whoever unpacks a bundle without knowing muster. */
export function bundleReadme(description: BundleDescription): string {
  const { cluster, host, muster, rendered, service, files, release, runtime } = description
  const { node, release: program } = bundlePaths(description)
  const about = (text: string): string => wrap(text, { width: columns, first: '', rest: '' }).join('\n')
  const lines = files.map(
    ({ path, mode, owner, sha256 }) =>
      `  ${mode} ${owner.padEnd(12)} ${path}${sha256 === undefined ? '   (in secrets.age)' : ''}`,
  )
  return `Host ${host.name} (${host.address}) of the cluster ${cluster}
rendered by muster ${muster} on ${rendered}

${about(
  `This folder brings one machine to the same state as \`muster install\`: the REST APIs of the cluster's components, with their certificates and users, as services of ${host.serviceManager === 'systemd' ? 'systemd' : 'their own'}. Everything that is not secret lies below ${bundleNames.root}/ at the path that it gets on the host.`,
)}

${about(
  `Work as root, in a folder of root such as /root: what others can change is refused. Before you unpack the archive, compare it with the SHA256SUMS that came with the key: sha256sum --check --ignore-missing SHA256SUMS`,
)}

  ./apply --check --sums DIGEST --identity KEY   print what would change
  ./apply --sums DIGEST --identity KEY           change it, and prove every login
  ./apply --uninstall --sums DIGEST              remove it again

${about(
  `DIGEST is on the second line for this host in that SHA256SUMS, the one that ends in /${bundleNames.sums}. It vouches for every file here: with another one ${bundleNames.apply} ends before any program of the bundle runs. ${bundleNames.apply} itself is vouched for by the checksum of the archive.`,
)}

${about(
  `KEY is the file ${host.name}.key that came separately, or any age identity that the bundle was rendered for. Without --identity it is expected at ${identityPath(cluster)}, owned by root with mode 0600. Whoever has this folder and the key has the host's secrets and the administrator's password.`,
)}

${about(
  `A second run changes nothing and restarts nothing. If a start or a login fails, the host is brought back to what it was, and ./apply ends with exit code 1. A run that was killed is continued by the next one.`,
)}

What is here
  ${bundleNames.apply}            checks every file, then runs ${bundleNames.program}
  ${bundleNames.program} the steps of muster, as one file for the Node.js below ${bundleNames.root}/
  ${bundleNames.description}      what the host gets: paths, modes, owners, digests
  ${bundleNames.sums}       SHA-256 of every file here but itself
  ${bundleNames.secrets}      keys, passwords and password hashes, sealed with age (X25519)
  ${bundleNames.root}/            the files themselves

What the host gets
  0755 root:root    ${node}   (${runtime.id})
  0644 root:root    ${program}   (release ${release.id})
${lines.join('\n')}
and ${host.installDirectory}/current, the system user ${service.user} and the folders of its data.

${usage(cluster)}`
}
