import { quote } from '../../base/shellWords.ts'
import { changeableFunction } from '../trustedFolder.ts'
import type { BundleDescription } from './bundleDescription.ts'

/** Names in the folder of a bundle. */
export const bundleNames = {
  apply: 'apply',
  program: 'muster-apply.cjs',
  description: 'bundle.json',
  sums: 'SHA256SUMS',
  secrets: 'secrets.age',
  root: 'root',
  readme: 'README.txt',
} as const

/** Returns where a host's identity file is expected unless an option names it. */
export const identityPath = (cluster: string): string => `/etc/muster/${cluster}.key`

/** Returns the path of the bundle's Node.js and of its release, on the host and below `root`. */
export const bundlePaths = ({ host, runtime, release }: BundleDescription) => ({
  node: `${host.installDirectory}/runtimes/${runtime.id}/node`,
  release: `${host.installDirectory}/releases/${release.id}/muster-api.cjs`,
})

const machines = { x64: 'x86_64', arm64: 'aarch64' } as const

/**
 * Returns the `apply` script of a bundle: POSIX sh that checks everything before anything of the bundle runs, then
 * hands over to the same steps that `muster install` applies over SSH.
 */
export const applyScript = (description: BundleDescription): string => {
  const { cluster, host, architecture } = description
  const name = `${host.name} of the cluster ${cluster}`
  return `#!/bin/sh
# Brings this machine to the state of the host ${name}, as muster install does.
# It changes nothing before every file of the bundle was compared with ${bundleNames.sums}.
set -u
LC_ALL=C
export LC_ALL
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export PATH
unset CDPATH

fail() {
  # A name that somebody else chose may hold commands for the terminal.
  printf 'error: %s\\n  fix: %s\\n' "$1" "$2" | tr '\\000-\\011\\013-\\037\\177' '?' >&2
  exit 1
}

case "\${1:-}" in
  -h | --help)
    cat <<'END'
${usage(cluster)}END
    exit 0
    ;;
esac

[ "$(id -u)" = 0 ] || fail 'only root can apply a bundle.' 'Run it with sudo.'
machine=$(uname -m)
[ "$machine" = ${machines[architecture]} ] || fail "the bundle is for ${machines[architecture]}, but this machine is $machine." 'Render it again with --arch ${architecture === 'x64' ? 'arm64' : 'x64'}.'

from=$PWD
here=$(cd -P -- "$(dirname -- "$0")" && pwd -P) || exit 1
# Whoever can replace a file of the bundle could have root run it.
${changeableFunction.trim()}
found=$(changeable "$here")
found=\${found% * *}
[ -n "$found" ] || found=$(find "$here" ! -type l \\( ! -user 0 -o -perm -020 -o -perm -002 \\) | head -n 1)
[ -z "$found" ] || fail "users other than root can change the bundle: $found." 'Unpack it as root in a folder of root, such as /root.'

cd "$here" || exit 1
if ! sha256sum -c ${bundleNames.sums} >/dev/null 2>&1; then
  sha256sum -c ${bundleNames.sums} 2>/dev/null | sed -n 's/: FAILED.*//p' | head -n 5 >&2
  fail 'files of the bundle are missing or were changed; nothing was touched.' 'Unpack the archive again, and compare its checksum with the one that was handed over with the key.'
fi
node=$here/${bundleNames.root}${quote(bundlePaths(description).node)}
env -i "PATH=$PATH" "$node" --version >/dev/null 2>&1 || fail "$node does not run here." 'Unpack the bundle on a file system without noexec; its Node.js needs glibc 2.28 or newer.'
cd "$from" || exit 1
# Variables of the caller could make Node.js, OpenSSL or the linker load files of others.
exec env -i "PATH=$PATH" HOME=/root "TERM=\${TERM:-dumb}" "NO_COLOR=\${NO_COLOR:-}" "$node" "$here/${bundleNames.program}" "$here" "$@"
`
}

/** Returns the help of a bundle's `apply`. */
export const usage = (
  cluster: string,
): string => `apply [--identity FILE] [--check] [--allow-older]   bring this host to the state of the bundle, and verify it
apply --uninstall [--check]                         remove the installation of this cluster from this host

  --identity FILE  key that opens ${bundleNames.secrets}; default ${identityPath(cluster)}
  --check          print what would change, and change nothing
  --allow-older    accept a bundle with an older release than the one that is installed

Exit codes: 0 done or nothing to do, 1 failed, 2 --check found changes, 3 wrong usage, 5 another run holds the lock.
`
