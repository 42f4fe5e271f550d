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
  /** Start of the name of a folder with copies of what runs. */
  copies: '.apply.',
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
 * hands over to the same steps that `muster install` applies over SSH. What runs are copies that were compared after
 * they were made; the program compares the other files as it reads them.
 */
export const applyScript = (description: BundleDescription): string => {
  const { cluster, host, architecture } = description
  const { node } = bundlePaths(description)
  const name = `${host.name} of the cluster ${cluster}`
  return `#!/bin/sh
# Brings this machine to the state of the host ${name}, as muster install does.
# It runs no program of the bundle before every file was compared with ${bundleNames.sums}, and that with --sums.
set -u
LC_ALL=C
export LC_ALL
PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export PATH
unset CDPATH

fail() {
  # A name that somebody else chose may hold commands for the terminal.
  printf 'error: %s\\n  fix: %s\\n' "$1" "$2" | tr '\\000-\\011\\013-\\037\\177' '?' >&2
  exit "\${3:-1}"
}

case "\${1:-}" in
  -h | --help)
    cat <<'END'
${usage(cluster)}END
    exit 0
    ;;
esac

# With a misspelt --sums, programs would run that nothing vouches for.
option=
digest=
for word do
  case $option:$word in
    :--identity | :--sums)
      option=$word
      continue
      ;;
    :--check | :--allow-older | :--uninstall | :--identity=* | --identity:*) ;;
    :--sums=* | --sums:*)
      digest=\${word#--sums=}
      case $digest in *[!0-9a-f]*) digest= ;; esac
      [ "\${#digest}" = 64 ] || fail '--sums takes a SHA-256 of 64 digits.' 'Take the one of ${bundleNames.sums} of this bundle from the checksums that came with the key.' 3
      ;;
    *) fail "$word is not an option of apply." 'See ./apply --help.' 3 ;;
  esac
  option=
done
[ -z "$option" ] || fail "$option has no value." 'See ./apply --help.' 3

[ "$(id -u)" = 0 ] || fail 'only root can apply a bundle.' 'Run it with sudo.'
machine=$(uname -m)
[ "$machine" = ${machines[architecture]} ] || fail "the bundle is for ${machines[architecture]}, but this machine is $machine." 'Render it again with --arch ${architecture === 'x64' ? 'arm64' : 'x64'}.'

from=$PWD
here=$(cd -P -- "$(dirname -- "$0")" && pwd -P) || exit 1
# Whoever can replace a file of the bundle could have root run it.
${changeableFunction.trim()}
found=$(changeable "$here")
found=\${found% * *}
[ -n "$found" ] || found=$(find "$here" ! -type l \\( ! -user 0 -o -perm -020 -o -perm -002 \\) 2>/dev/null | head -n 1)
[ -z "$found" ] || fail "users other than root can change the bundle: $found." 'Unpack it as root in a folder of root, such as /root.'
found=$(find "$here" ! -type f ! -type d 2>/dev/null | head -n 1)
[ -z "$found" ] || fail "the bundle has a link or another special file, which muster never writes: $found." 'Unpack the archive again.'

cd "$here" || exit 1
# Read once: what is compared below is what has this digest.
sums=$(cat ${bundleNames.sums} 2>/dev/null)
list() { printf '%s\\n' "$sums"; }
if [ -n "$digest" ] && [ "$(list | sha256sum | cut -c 1-64)" != "$digest" ]; then
  fail '${bundleNames.sums} is not the one that --sums names: files of the bundle were exchanged, or it was rendered at another time; nothing was touched.' 'Unpack the archive again, and compare its checksum with the one that was handed over with the key.'
fi
if ! list | sha256sum -c - >/dev/null 2>&1; then
  list | sha256sum -c - 2>/dev/null | sed -n 's/: FAILED.*//p' | head -n 5 >&2
  fail 'files of the bundle are missing or were changed; nothing was touched.' 'Unpack the archive again, and compare its checksum with the one that was handed over with the key.'
fi
# Somebody may hold a file of the bundle open for writing since before it was root's.
trap 'exit 1' HUP INT TERM
trap '[ -z "$copies" ] || rm -rf "$copies"' EXIT
copies=
copies=$(mktemp -d "$here/${bundleNames.copies}XXXXXX" 2>/dev/null) || fail "$here cannot be written to." 'Unpack the bundle on a file system that root can write to.'
copy() {
  cp "$1" "$copies/$2" 2>/dev/null || fail "$1 cannot be copied to $copies." 'Make room on the file system of the bundle.'
  list | grep -xF -e "$(sha256sum <"$copies/$2" | cut -c 1-64)  $1" >/dev/null || fail "$1 is not in ${bundleNames.sums}, or is being changed; nothing was touched." 'Unpack the archive again as root.'
}
copy ${quote(`${bundleNames.root}${node}`)} node
copy ${bundleNames.program} ${bundleNames.program}
env -i "PATH=$PATH" "$copies/node" --version >/dev/null 2>&1 || fail "the Node.js of the bundle does not run in $here." 'Unpack the bundle on a file system without noexec; its Node.js needs glibc 2.28 or newer.'
cd "$from" || exit 1
# Variables of the caller could make Node.js, OpenSSL or the linker load files of others.
exec env -i "PATH=$PATH" HOME=/root "TERM=\${TERM:-dumb}" "NO_COLOR=\${NO_COLOR:-}" "$copies/node" "$copies/${bundleNames.program}" "$here" "$@"
`
}

/** Returns the help of a bundle's `apply`. */
export const usage = (
  cluster: string,
): string => `apply [--identity FILE] [--sums DIGEST] [--check] [--allow-older]
                         bring this host to the state of the bundle, and verify it
apply --uninstall [--sums DIGEST] [--check]
                         remove the installation of this cluster from this host

  --identity FILE  key that opens ${bundleNames.secrets}; default ${identityPath(cluster)}
  --sums DIGEST    SHA-256 of ${bundleNames.sums}, which came with the key: nothing of a bundle
                   with another one runs
  --check          print what would change, and change nothing
  --allow-older    accept a bundle with an older release than the one that is installed

Exit codes: 0 done or nothing to do, 1 failed, 2 --check found changes, 3 wrong usage, 5 another run holds the lock.
`
