import { quote } from '../../../base/shellWords.ts'
import { serviceManagerNames } from '../../../config/settings/serviceManagerNames.ts'
import { components } from '../../../contracts/component.ts'
import { hostPaths } from '../../hostFiles.ts'
import { allPlaces, findAccount, type Installation, pathByPlace } from '../../installedAccount.ts'
import { clusterUser, installationDirectories, type Layout, layoutOf } from '../../layout.ts'
import { maxUserFileBytes, readAs } from '../../serviceAccount.ts'
import { allDefinitions, serviceManagers } from '../../services/implementations.ts'
import type { ServiceFacts } from '../../services/serviceManager.ts'

const each = components.join(' ')

/**
 * Prints the files in `$root` that say what is installed, how it was started, and as which user. All belong to root.
 * Sets `as` to the command that drops root's rights for files of the service user.
 */
export const installed = (installation: Installation): string => `
set --
if [ -d "$root" ]; then
  say exists yes
  now=$(readlink ${quote(installation.layout.current)} 2>/dev/null)
  say current "\${now##*/}"
  for c in ${each}; do
    set -- "$@" "settings-$c=$root/share/$c.json"
    line "applied-$c" "$root/share/applied/$c"
  done
  set -- "$@" manifest=${quote(installation.layout.manifest)} chain=${quote(`${installation.layout.tls}/chain.pem`)}
fi
set -- "$@" ${definitionsOf(installation)
  .map(({ key, path }) => `${key}=${quote(path)}`)
  .join(' ')}
texts "$@"
${findAccount(installation)}
say place "$place" "$account"`

/**
 * Prints the user file, read as the service user: base64 of a bounded number of bytes of a regular file, never a
 * link.
 */
export const users = (installation: Installation): string => `
${pathByPlace('file', installation, ({ usersFile }) => usersFile)}
if [ -n "$file" ] && [ -n "$account" ]; then
  say users "$(${readAs('$as', '"$file"', maxUserFileBytes)} 2>/dev/null | base64 -w0)"
fi`

/** Prints the manifest of the previous install-directory. */
export const previousInstallation = (folder: string): string => `
say before ${quote(folder)}
texts manifest-before=${quote(layoutOf(folder).manifest)}`

/** Prints the primary group of the components' system user. */
export const userGroup = (cluster: string, user: string | undefined): string => `
user=${user === undefined ? `\${account:-${clusterUser(cluster)}}` : quote(user)}
g=$(id -gn "$user" 2>/dev/null) && say user-group "$g"`

/** Prints the releases and runtimes on the host, and the leftovers of an interrupted run. */
export const releases = (layout: Layout): string => `
if [ -d "$root" ]; then
  if [ -d ${quote(layout.snapshot)} ]; then say left-copy yes; fi
  line went-back ${quote(layout.wentBack)}
  line made-user ${quote(layout.madeUser)}
  for d in "$root"/releases/*/.complete; do
    [ -e "$d" ] || continue
    d=\${d%/.complete}
    turn=; since=; there=
    if [ -r "$d/.activated" ]; then read -r turn since < "$d/.activated"; fi
    [ -x "$d/node" ] && there=yes
    say release "\${d##*/}" "$turn" "$since" "$(readlink "$d/node" 2>/dev/null)" "$there"
  done
  for d in "$root"/runtimes/*/.complete; do
    [ -e "$d" ] || continue
    d=\${d%/.complete}
    say runtime "\${d##*/}"
  done
fi`

/**
 * Prints folders and files of the installation with mode, owner and digest. Uses few processes, each for all files.
 * Lists only folders that only root can write to; of the service user's folders it prints owner and mode. Skips names
 * with a control character, which could imitate rows; uses the locale C, because in another locale an invalid byte
 * would hide one.
 */
export const files = (installation: Installation): string => `
find "$root" ${[
  ...installationDirectories(installation.layout),
  ...allPlaces(installation).flatMap(({ folders }) => folders),
]
  .map((path) => quote(path))
  .join(' ')} -maxdepth 0 -type d -printf 'directory\\t%p\\t%m\\t%u:%g\\n' 2>/dev/null | rows
set --
for f in ${[...definitionsOf(installation).map(({ path }) => path), ...hostPaths(installation).outside]
  .map(quote)
  .join(' ')} "$root"/share/*; do if [ -f "$f" ]; then set -- "$@" "$f"; fi; done
for d in ${quote(installation.layout.tls)} ${quote(installation.layout.applied)}; do if [ -d "$d" ]; then set -- "$@" "$d"; fi; done
if [ "$#" -gt 0 ]; then
  LC_ALL=C find "$@" -maxdepth 1 -type f ! -name '.*' ! -path '*[[:cntrl:]]*' -printf 'file\\t%p\\t%m\\t%u:%g\\n' 2>/dev/null | rows
  LC_ALL=C find "$@" -maxdepth 1 -type f ! -name '.*' ! -path '*[[:cntrl:]]*' -size -${maxHashedBlocks} -exec sha256sum {} + 2>/dev/null | rows
fi`

/** Blocks of 512 bytes of the largest file that is hashed: 8 MiB, far above a keystore. */
const maxHashedBlocks = 16_384

const managers = serviceManagerNames.map((name) => serviceManagers[name].facts)

/** Returns sh that runs the fragment of the manager that has the component `$c`. */
const byManager = (words: (facts: ServiceFacts) => string): string =>
  managers.map((facts) => `if ${facts.has}; then\n${words(facts)}\n`).join('el')

const functionsOf = (installation: Installation): string =>
  managers.map(({ functions }) => functions(installation)).join('\n')

/** Prints which components run; asks no service manager if all installed components are seen to run. */
export const runningServices = (installation: Installation): string => `
${functionsOf(installation)}
seen=
for c in ${each}; do
  pid=; enabled=no
  ${byManager(({ quickCheck = ':' }) => quickCheck)}
  else seen="$seen $c absent no -"; continue
  fi
  if [ -z "$pid" ]; then seen=; break; fi
  seen="$seen $c running $enabled $pid"
done
if [ -n "$seen" ]; then
  set -- $seen
  while [ "$#" -gt 0 ]; do say service "$1" "$2" "$3" "$4"; shift 4; done
else
${serviceStates}
fi`

/** Prints the state of the components from their service managers. */
export const services = (installation: Installation): string =>
  `\n${functionsOf(installation)}\n${serviceStates}`

const serviceStates = `${managers.map(({ readAll = '' }) => readAll).join('\n')}
for c in ${each}; do
  pid=; state=absent; enabled=no
  ${byManager(({ read }) => read)}
  fi
  say service "$c" "$state" "$enabled" "$pid"
done`

/** Prefixes of the rows of definitions. */
export const definitionKeys = serviceManagerNames.map((name) => ({
  ...{ name, key: serviceManagers[name].definitions?.factKey ?? '' },
}))

/** Returns the service definitions of the cluster in all managers. */
const definitionsOf = ({ cluster }: Installation) =>
  allDefinitions().flatMap(({ factKey, path }) =>
    components.map((component) => ({ key: `${factKey}-${component}`, path: path({ cluster, component }) })),
  )
