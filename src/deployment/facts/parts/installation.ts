import { components } from '../../../contracts/component.ts'
import { quote } from '../../../transport/shellWords.ts'
import { installationDirectories, type Layout, layoutOf, unitDirectory, unitName } from '../../layout.ts'
import { bornFunction } from '../../processBirth.ts'
import { inUse } from '../../releases/scripts.ts'
import { firstProcessFunction } from '../../services/firstProcess.ts'

/** COMPONENT=UNIT of each. */
const unitsOf = (cluster: string): string =>
  components.map((component) => `${component}=${unitName(cluster, component)}`).join(' ')

const each = components.join(' ')

/** What is installed in `$root`: the texts that say what runs there, and what it was started with. */
export const installed = (layout: Layout, cluster: string): string => `
set --
if [ -d "$root" ]; then
  say exists yes
  now=$(readlink ${quote(layout.current)} 2>/dev/null)
  say current "\${now##*/}"
  for c in ${each}; do
    set -- "$@" "settings-$c=$root/share/$c.json"
    line "applied-$c" "$root/share/applied/$c"
  done
  set -- "$@" manifest=${quote(layout.manifest)} chain=${quote(`${layout.tls}/chain.pem`)} users=${quote(layout.usersFile)}
fi
for u in ${unitsOf(cluster)}; do set -- "$@" "unit-\${u%%=*}=${unitDirectory}/\${u#*=}"; done
texts "$@"`

/** Whose installation another folder holds, where the host's was last. */
export const before = (folder: string): string => `
say before ${quote(folder)}
texts manifest-before=${quote(layoutOf(folder).manifest)}`

/** The releases and runtimes that are there and in use, and what a run that did not end left. */
export const releases = (layout: Layout): string => `
if [ -d "$root" ]; then
  if [ -d ${quote(layout.before)} ]; then say left-copy yes; fi
  line made-user ${quote(layout.madeUser)}
  kept=0
  for d in "$root"/releases/*/.complete; do
    [ -e "$d" ] || continue
    d=\${d%/.complete}
    turn=; since=; there=
    if [ -r "$d/.activated" ]; then read -r turn since < "$d/.activated"; fi
    [ -x "$d/node" ] && there=yes
    kept=$((kept + 1))
    say release "\${d##*/}" "$turn" "$since" "$(readlink "$d/node" 2>/dev/null)" "$there"
  done
  for d in "$root"/runtimes/*/.complete; do
    [ -e "$d" ] || continue
    d=\${d%/.complete}
    kept=$((kept + 1))
    say runtime "\${d##*/}"
  done
${inUse}
  # One release and one runtime are what runs.
  if [ "$kept" -gt 2 ]; then inuse | while IFS= read -r used; do say in-use "$used"; done; fi
fi`

/** Folders and files of the installation, each with mode, owner and digest. Few processes, each for all files. */
export const files = (layout: Layout, cluster: string): string => `
find "$root" ${installationDirectories(layout)
  .map((path) => quote(path))
  .join(' ')} -maxdepth 0 -xtype d -printf 'directory\\t%p\\t%m\\t%u:%g\\n' 2>/dev/null
set --
for u in ${unitsOf(cluster)}; do
  f=${unitDirectory}/\${u#*=}
  if [ -f "$f" ]; then set -- "$@" "$f"; fi
done
find "$root/share" "$@" -type f ! -name '.*' -printf 'file\\t%p\\t%m\\t%u:%g\\n' 2>/dev/null
find "$root/share" "$@" -type f ! -name '.*' -exec sha256sum {} + 2>/dev/null`

/** The same as `services`; where all that is installed is seen to run, nobody is asked. */
export const servicesBriefly = (cluster: string): string => `
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
  elif [ -f "$root/run/$c.pid" ] || [ -f "$root/share/$c.json" ]; then
    seen=; break
  else
    seen="$seen $c absent no -"
  fi
done
if [ -n "$seen" ]; then
  set -- $seen
  while [ "$#" -gt 0 ]; do say service "$1" "$2" "$3" "$4"; shift 4; done
else
${services(cluster)}
fi`

/** Whether each component runs, by systemd or as a process. */
export const services = (cluster: string): string => `
${bornFunction}
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
  elif [ -f "$root/run/$c.pid" ] || [ -f "$root/share/$c.json" ]; then
    state=stopped
    began=; main=
    if [ -r "$root/run/$c.pid" ]; then read -r main began _ < "$root/run/$c.pid" || :; fi
    if [ -n "$began" ] && [ "$(born "$main")" = "$began" ]; then state=running; pid=$main; fi
  fi
  say service "$c" "$state" "$enabled" "$pid"
done`
