import { components } from '../../../contracts/component.ts'
import { quote } from '../../../transport/shellWords.ts'
import { allPlaces, findAccount, type Installation, pathByPlace } from '../../installedAccount.ts'
import { clusterUser, installationDirectories, type Layout, layoutOf } from '../../layout.ts'
import { bornFunction } from '../../processBirth.ts'
import { mostUserBytes, readAs } from '../../serviceFiles.ts'
import { aliveFunctions } from '../../services/process.ts'
import { firstProcessFunction } from '../../services/systemd.ts'
import { unitDirectory, unitName } from '../../services/systemdUnits.ts'

/** COMPONENT=UNIT of each. */
const unitsOf = (cluster: string): string =>
  components.map((component) => `${component}=${unitName({ cluster, component })}`).join(' ')

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
for u in ${unitsOf(installation.cluster)}; do set -- "$@" "unit-\${u%%=*}=${unitDirectory}/\${u#*=}"; done
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
for u in ${unitsOf(cluster)}; do
  f=${unitDirectory}/\${u#*=}
  if [ -f "$f" ]; then set -- "$@" "$f"; fi
done
for f in "$root"/share/*; do if [ -f "$f" ]; then set -- "$@" "$f"; fi; done
for d in ${quote(layout.tls)} ${quote(layout.applied)}; do if [ -d "$d" ]; then set -- "$@" "$d"; fi; done
if [ "$#" -gt 0 ]; then
  LC_ALL=C find "$@" -maxdepth 1 -type f ! -name '.*' ! -path '*[[:cntrl:]]*' -printf 'file\\t%p\\t%m\\t%u:%g\\n' 2>/dev/null | rows
  LC_ALL=C find "$@" -maxdepth 1 -type f ! -name '.*' ! -path '*[[:cntrl:]]*' -size -${mostHashedBlocks} -exec sha256sum {} + 2>/dev/null | rows
fi`

/** Blocks of 512 bytes of the largest file that is hashed: 8 MiB, far above a keystore. */
const mostHashedBlocks = 16_384

/** The same as `services`; where all that is installed is seen to run, nobody is asked. */
export const servicesBriefly = ({ layout, cluster }: Installation): string => `
${firstProcessFunction}
seen=
for u in ${unitsOf(cluster)}; do
  c=\${u%%=*}
  if [ -f "${unitDirectory}/\${u#*=}" ]; then
    pid=$(populated "\${u#*=}")
    if [ -z "$pid" ]; then seen=; break; fi
    enabled=no
    if [ -L "${unitDirectory}/multi-user.target.wants/\${u#*=}" ]; then enabled=yes; fi
    seen="$seen $c running $enabled $pid"
  elif [ -f "$root/share/$c.json" ]; then
    seen=; break
  else
    seen="$seen $c absent no -"
  fi
done
if [ -n "$seen" ]; then
  set -- $seen
  while [ "$#" -gt 0 ]; do say service "$1" "$2" "$3" "$4"; shift 4; done
else
${services({ layout, cluster })}
fi`

/** Whether each component runs, by systemd or as a process. */
export const services = ({ layout, cluster }: Installation): string => `
${bornFunction}
${aliveFunctions(layout.root, layout.processes)}
installed=
for u in ${unitsOf(cluster)}; do
  if [ -f "${unitDirectory}/\${u#*=}" ]; then installed="$installed \${u#*=}"; fi
done
shown=
if [ -n "$installed" ] && [ -d /run/systemd/system ]; then
  shown=$(systemctl show -p Id -p ActiveState -p MainPID -p UnitFileState $installed 2>/dev/null)
fi
for u in ${unitsOf(cluster)}; do
  c=\${u%%=*}
  pid=; state=absent; enabled=no
  if [ -f "${unitDirectory}/\${u#*=}" ] && [ -d /run/systemd/system ]; then
    state=stopped
    id=; active=; main=; file=
    while IFS='=' read -r key value; do
      case $key in
        Id) id=$value ;;
        ActiveState) active=$value ;;
        MainPID) main=$value ;;
        UnitFileState) file=$value ;;
        '')
          if [ "$id" = "\${u#*=}" ]; then
            case $active in
              active|activating|reloading) state=running ;;
              failed) state=failed ;;
            esac
            pid=$main
            [ "$file" = enabled ] && enabled=yes
          fi ;;
      esac
    done <<END
$shown

END
  elif [ -f "$root/share/$c.json" ]; then
    state=stopped
    if running "$c"; then state=running; else pid=; fi
  fi
  say service "$c" "$state" "$enabled" "$pid"
done`
