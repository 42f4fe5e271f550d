import { serviceManagerNames } from '../../../config/settings/serviceManagerNames.ts'
import { serviceManagers } from '../../services/implementations.ts'

/** Paths of a Node.js that may be missing from the login's PATH. */
const nodeCandidates = ['/usr/bin/node', '/usr/local/bin/node', '/opt/node/bin/node']

/** Prints system, login and the host's own Node.js. */
export const system = `
set -- $(uname -sm)
say kernel "$1"
say machine "$2"
say os "$(. /etc/os-release 2>/dev/null; printf %s "$PRETTY_NAME")"
# uid=0(root) gid=0(root) …; a name may hold blanks, and where there is none the number stands alone.
ids="$(id) "
named() { n=\${1%% *}; case $n in *\\(*) n=\${1#*\\(}; n=\${n%%\\)*} ;; esac; say "$2" "$n"; }
u=\${ids#uid=}
named "$u" login
named "\${ids#* gid=}" group
${serviceManagerNames.flatMap((name) => serviceManagers[name].facts.recognize ?? []).join('\n')}
for a in $(ip -o addr show scope global 2>/dev/null |
  sed -n '/ temporary/d; / deprecated/d; s/.* inet6\\{0,1\\} \\([^/ ]*\\).*/\\1/p'); do say address "$a"; done
command -v ip >/dev/null 2>&1 || for a in $(hostname -I 2>/dev/null); do say address "$a"; done
for n in "$(command -v node 2>/dev/null)" ${nodeCandidates.join(' ')}; do
  [ -n "$n" ] && [ -x "$n" ] || continue
  real=$(readlink -f "$n")
  version=
  if [ -z "$(changeable "$real")" ]; then safe=yes; else safe=no; fi
  # What is there is not there to stay.
  case $real in /tmp/*|/var/tmp/*|/run/*) safe=no ;; esac
  # Whoever could have put it there would have it run as root.
  if [ $safe = yes ] || [ "$me" != 0 ]; then version=$("$real" --version 2>/dev/null); fi
  say node "$real" "$version" "$safe"
  break
done`

/** Prints the file system of `$root`, or of its nearest existing parent. */
export const fileSystem = `
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
say noexec "$noexec"`

/** Prints TCP listeners from proc(5). */
export const listeners = `
sed -n "s/^.* 0A .*/$nonce\tlistener\t&/p" /proc/net/tcp /proc/net/tcp6 2>/dev/null`
