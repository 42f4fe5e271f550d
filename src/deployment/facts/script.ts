import { components } from '../../contracts/component.ts'
import { quote } from '../../transport/shellWords.ts'
import { installationDirectories, type Layout, unitDirectory, unitName } from '../layout.ts'
import { inUse } from '../releases/scripts.ts'

/** What the facts script must know of a host before it has seen it. */
export type FactsRequest = {
  readonly cluster: string
  readonly layout: Layout
  readonly user?: string
  /** Paths on the host of stores that the configuration names with `host:`. */
  readonly hostStores: readonly string[]
}

/** Folders in which a service finds a Node.js that the login's own PATH may lack. */
const nodeCandidates = ['/usr/bin/node', '/usr/local/bin/node', '/opt/node/bin/node']

/**
 * One POSIX sh script that reads everything a plan needs, in one round trip, and changes nothing. It starts few
 * programs, since each costs a host about 2 ms: what the shell can read itself it reads itself.
 * Each line it prints is a key and tab-separated values; free text is base64, so that no content can be
 * taken for another line.
 */
export function factsScript(request: FactsRequest): string {
  const { layout, cluster } = request
  const directories = installationDirectories(layout)
    .map((path) => quote(path))
    .join(' ')
  const units = components.map((component) => `${component}=${unitName(cluster, component)}`)
  return `
say() { printf '%s\\t' "$@"; printf '\\n'; }
# The first line of a file of one line.
line() { if [ -r "$2" ]; then read -r first < "$2" || :; say "$1" "$2" "$first"; fi; }
text() { if [ -r "$2" ]; then say "$1" "$2" "$(base64 -w0 < "$2")"; fi; }
root=${quote(layout.root)}
read -r first < /proc/sys/kernel/hostname
say hostname "$first"
first=
if [ -r /etc/machine-id ]; then read -r first < /etc/machine-id || :; fi
say machine-id "$first"
set -- $(uname -sm)
say kernel "$1"
say machine "$2"
say os "$(. /etc/os-release 2>/dev/null; printf %s "$PRETTY_NAME")"
say uid "$(id -u)"
say login "$(id -un)"
say group "$(id -gn)"
if [ -d /run/systemd/system ]; then say systemd yes; fi
for a in $(ip -o addr show scope global 2>/dev/null |
  sed -n '/ temporary/d; / deprecated/d; s/.* inet6\\{0,1\\} \\([^/ ]*\\).*/\\1/p'); do say address "$a"; done
command -v ip >/dev/null 2>&1 || for a in $(hostname -I 2>/dev/null); do say address "$a"; done
rooted() {
  p=$1
  while :; do
    set -- $(stat -c '%u %a' "$p" 2>/dev/null) x x
    [ "$1" = 0 ] || return 1
    case $2 in *[2367]?|*[2367]) return 1 ;; esac
    [ "$p" = / ] && return 0
    p=$(dirname "$p")
  done
}
for n in "$(command -v node 2>/dev/null)" ${nodeCandidates.join(' ')}; do
  [ -n "$n" ] && [ -x "$n" ] || continue
  real=$(readlink -f "$n")
  if rooted "$real"; then safe=yes; else safe=no; fi
  say node "$real" "$("$real" --version 2>/dev/null)" "$safe"
  break
done
${request.user === undefined ? '' : `g=$(id -gn ${quote(request.user)} 2>/dev/null) && say user-group "$g"`}
at=$root
while [ ! -e "$at" ]; do at=$(dirname "$at"); done
if [ -d "$at" ] && [ -w "$at" ]; then say writable yes; fi
df=$(df -Pk "$at" 2>/dev/null)
# Its last line.
df=\${df##*
}
set -- $df 0 0 0 0
say free "$4"
set -- $df
mount=
if [ "$#" -gt 5 ]; then shift 5; mount=$*; fi
noexec=no
while read -r _ point _ options _; do
  case $point in *\\\\*) point=$(printf %b "$point") ;; esac
  [ "$point" = "$mount" ] || continue
  case ,$options, in *,noexec,*) noexec=yes ;; *) noexec=no ;; esac
done 2>/dev/null < /proc/self/mounts
say noexec "$noexec"
if [ -d "$root" ]; then
  say exists yes
  if [ -d ${quote(layout.before)} ]; then say left-copy yes; fi
  text manifest ${quote(layout.manifest)}
  line made-user ${quote(layout.madeUser)}
  now=$(readlink ${quote(layout.current)} 2>/dev/null)
  say current "\${now##*/}"
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
  text chain ${quote(`${layout.tls}/chain.pem`)}
  text users ${quote(layout.usersFile)}
  for c in ${components.join(' ')}; do
    text "settings-$c" "$root/share/$c.json"
    line "applied-$c" "$root/share/applied/$c"
  done
fi
find "$root" ${directories} -maxdepth 0 -xtype d -printf 'directory\\t%p\\t%m\\t%u:%g\\n' 2>/dev/null
installed=
set --
for u in ${units.join(' ')}; do
  f=${unitDirectory}/\${u#*=}
  [ -f "$f" ] || continue
  text "unit-\${u%%=*}" "$f"
  set -- "$@" "$f"
  installed="$installed \${u#*=}"
done
# Few processes, each for all files: to start one for each of them takes longer than all the rest.
find "$root/share" "$@" -type f ! -name '.*' -printf 'file\\t%p\\t%m\\t%u:%g\\n' 2>/dev/null
find "$root/share" "$@" -type f ! -name '.*' -exec sha256sum {} + 2>/dev/null
shown=
if [ -n "$installed" ] && [ -d /run/systemd/system ]; then
  shown=$(systemctl show -p Id -p ActiveState -p MainPID -p UnitFileState $installed 2>/dev/null)
fi
for u in ${units.join(' ')}; do
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
    set -- $(cat "$root/run/$c.pid" 2>/dev/null) x x
    started=$(sed 's/^.*) //; /^[ZX]/d' "/proc/$1/stat" 2>/dev/null | cut -d' ' -f20)
    if [ -n "$started" ] && [ "$started" = "$2" ]; then state=running; pid=$1; fi
  fi
  say service "$c" "$state" "$enabled" "$pid"
done
say listeners "$(grep -h ' 0A ' /proc/net/tcp /proc/net/tcp6 2>/dev/null | base64 -w0)"
${request.hostStores.map((path) => `text store ${quote(path)}`).join('\n')}
exit 0
`
}
