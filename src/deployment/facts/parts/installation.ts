import { quote } from '../../../base/shellWords.ts'
import { serviceManagerNames } from '../../../config/model.ts'
import { components } from '../../../contracts/component.ts'
import { allPlaces, findAccount, type Installation, pathByPlace } from '../../installedAccount.ts'
import { clusterUser, installationDirectories, type Layout, layoutOf } from '../../layout.ts'
import { mostUserBytes, readAs } from '../../serviceAccount.ts'
import { allDefinitions, serviceManagers } from '../../services/implementations.ts'
import type { ServiceFacts } from '../../services/serviceManager.ts'

const each = components.join(' ')

/**
 * Texts in `$root` that say what runs there, what it was started with, and as whom. All of them are root's. Sets `as` to
 * what drops root's rights for those of the service user.
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
  .map(({ component, path }) => `unit-${component}=${quote(path)}`)
  .join(' ')}
texts "$@"
${findAccount(installation)}
say place "$place" "$account"`

/** User file of the installation, read as the service user: base64 of so many bytes of a regular file, no link. */
export const users = (installation: Installation): string => `
${pathByPlace('file', installation, ({ usersFile }) => usersFile)}
if [ -n "$file" ] && [ -n "$account" ]; then
  say users "$(${readAs('$as', '"$file"', mostUserBytes)} 2>/dev/null | base64 -w0)"
fi`

/** Manifest of another folder, where the host's installation was last. */
export const before = (folder: string): string => `
say before ${quote(folder)}
texts manifest-before=${quote(layoutOf(folder).manifest)}`

/** The system user that the components run as, or would run as. */
export const userGroup = (cluster: string, user: string | undefined): string => `
user=${user === undefined ? `\${account:-${clusterUser(cluster)}}` : quote(user)}
g=$(id -gn "$user" 2>/dev/null) && say user-group "$g"`

/** The releases and runtimes that are there, and what a run that did not end left. */
export const releases = (layout: Layout): string => `
if [ -d "$root" ]; then
  if [ -d ${quote(layout.snapshot)} ]; then say left-copy yes; fi
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
 * Folders and files of the installation, each with mode, owner and digest. Few processes, each for all files. Only
 * folders that root alone can write are listed; of the service user's folders just owner and mode are read. A name with a
 * control character, which could be taken for rows, is nobody's that we know: in the locale C, since a byte that is no
 * character of another one would hide it.
 */
export const files = ({ layout, cluster }: Installation): string => `
find "$root" ${[
  ...installationDirectories(layout),
  ...allPlaces({ layout, cluster }).flatMap(({ folders }) => folders),
]
  .map((path) => quote(path))
  .join(' ')} -maxdepth 0 -type d -printf 'directory\\t%p\\t%m\\t%u:%g\\n' 2>/dev/null | rows
set --
for f in ${definitionsOf({ layout, cluster })
  .map(({ path }) => quote(path))
  .join(' ')} "$root"/share/*; do if [ -f "$f" ]; then set -- "$@" "$f"; fi; done
for d in ${quote(layout.tls)} ${quote(layout.applied)}; do if [ -d "$d" ]; then set -- "$@" "$d"; fi; done
if [ "$#" -gt 0 ]; then
  LC_ALL=C find "$@" -maxdepth 1 -type f ! -name '.*' ! -path '*[[:cntrl:]]*' -printf 'file\\t%p\\t%m\\t%u:%g\\n' 2>/dev/null | rows
  LC_ALL=C find "$@" -maxdepth 1 -type f ! -name '.*' ! -path '*[[:cntrl:]]*' -size -${mostHashedBlocks} -exec sha256sum {} + 2>/dev/null | rows
fi`

/** Blocks of 512 bytes of the largest file that is hashed: 8 MiB, far above a keystore. */
const mostHashedBlocks = 16_384

const managers = serviceManagerNames.map((name) => serviceManagers[name].facts)

/** sh that does for `$c` what the manager of which it is a service says. */
const byManager = (words: (facts: ServiceFacts) => string): string =>
  managers.map((facts) => `if ${facts.has}; then\n${words(facts)}\n`).join('el')

const functionsOf = (installation: Installation): string =>
  managers.map(({ functions }) => functions(installation)).join('\n')

/** Prints which components run; where all that is installed is seen to run, no service manager is asked. */
export const servicesBriefly = (installation: Installation): string => `
${functionsOf(installation)}
seen=
for c in ${each}; do
  pid=; enabled=no
  ${byManager(({ glance = ':' }) => glance)}
  else seen="$seen $c absent no -"; continue
  fi
  if [ -z "$pid" ]; then seen=; break; fi
  seen="$seen $c running $enabled $pid"
done
if [ -n "$seen" ]; then
  set -- $seen
  while [ "$#" -gt 0 ]; do say service "$1" "$2" "$3" "$4"; shift 4; done
else
${askedServices}
fi`

/** Prints which components run, as their service managers say. */
export const services = (installation: Installation): string =>
  `\n${functionsOf(installation)}\n${askedServices}`

const askedServices = `${managers.map(({ ask = '' }) => ask).join('\n')}
for c in ${each}; do
  pid=; state=absent; enabled=no
  ${byManager(({ read }) => read)}
  fi
  say service "$c" "$state" "$enabled" "$pid"
done`

/** Definitions of services that the managers of a host may know. */
const definitionsOf = ({ cluster }: Installation) =>
  allDefinitions().flatMap(({ path }) =>
    components.map((component) => ({ component, path: path({ cluster, component }) })),
  )
