import { quote } from '../../base/shellWords.ts'
import { identityPath } from './applyScript.ts'

/** Folder that NoCloud reads its seed from. */
const seedFolder = '/var/lib/cloud/seed/nocloud'

/** Archive of the bundle of one host, as cloud-init gets it. */
export type CloudInitBundle = {
  readonly cluster: string
  readonly host: string
  /** File name of the archive, and its top folder. */
  readonly archive: string
  readonly folder: string
  readonly sha256: string
  /** SHA-256 of the bundle's `SHA256SUMS`. */
  readonly sums: string
  /** Bytes of the archive. */
  readonly size: number
  /** Folder on a web server that holds the archive; absent: it lies in the seed. */
  readonly url?: string | undefined
}

/** Fetches `URL FILE BYTES`, and never more: the server is not trusted. */
const fetchProgram =
  'import sys, urllib.request; url, path, size = sys.argv[1:]; content = urllib.request.urlopen(url, timeout=60).read(int(size) + 1); len(content) < int(size) and sys.exit("the archive is incomplete"); open(path, "wb").write(content)'

/**
 * Returns the sh script that a host runs at its first boot: it takes the archive only with the checksum that came with
 * the user-data, and applies the bundle only with the sums that came with them.
 */
export function firstBootScript(bundle: CloudInitBundle): string {
  const { cluster, archive, folder, sha256, sums, size, url } = bundle
  const fetch =
    url === undefined
      ? `archive=${quote(`${seedFolder}/${archive}`)}`
      : `archive=$work/bundle.tar.gz
tries=0
until timeout 600 python3 -I -c ${quote(fetchProgram)} ${quote(`${url.replace(/\/+$/, '')}/${encodeURIComponent(archive)}`)} "$archive" ${size}; do
  tries=$((tries + 1))
  [ "$tries" -lt 10 ] || exit 1
  sleep 3
done`
  return `set -eu
umask 077
work=$(mktemp -d /root/.muster-bundle.XXXXXX)
trap 'rm -rf "$work"' EXIT
${fetch}
echo "${sha256}  $archive" | sha256sum -c -
tar -xzf "$archive" -C "$work"
"$work"/${quote(folder)}/apply --sums ${sums} --identity ${quote(identityPath(cluster))}
`
}

/** Returns the user-data of one host (cloud-init, "Cloud config"). */
export function userData(bundle: CloudInitBundle): string {
  const { cluster, host } = bundle
  const script = firstBootScript(bundle)
    .split('\n')
    .map((line) => (line === '' ? '' : `      ${line}`))
    .join('\n')
  return `#cloud-config
# Brings this machine to the state of the host ${host} of the cluster ${cluster} at its first boot.
# The key must be there by then: ${identityPath(cluster)}, owned by root, mode 0600. It does not belong into user-data,
# which every process of a machine can read in most clouds.
runcmd:
  - - sh
    - -c
    - |
${script}`
}

/** Returns the meta-data of a NoCloud seed; another bundle is another instance, which cloud-init applies anew. */
export const metaData = ({ cluster, host, sha256 }: CloudInitBundle): string =>
  `instance-id: muster-${cluster}-${host}-${sha256.slice(0, 12)}\n`
