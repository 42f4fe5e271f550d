import type { HostConfig } from '../config/model.ts'
import { StepError } from './stepError.ts'

/** Links that a path may lead through, as the kernel allows (path_resolution(7)). */
const mostLinks = 40

/**
 * sh function `changeable PATH`: prints the first file, folder or link on the way to it, every link followed, that
 * somebody else than root could change or replace, with owner and mode; nothing where there is none. A folder such as
 * /tmp, in which everybody can make something and nobody remove what is root's (sticky, inode(7)), is as good as root's
 * own on the way to a file of root.
 */
export const changeableFunction = `
changeable() {
  left=$1; at=; links=0
  set -- /
  while [ -n "$left" ]; do
    part=\${left%%/*}
    case $left in */*) left=\${left#*/} ;; *) left= ;; esac
    case $part in
      ''|.) continue ;;
      ..) at=\${at%/*}; continue ;;
    esac
    set -- "$@" "$at/$part"
    if [ ! -L "$at/$part" ]; then at=$at/$part; continue; fi
    links=$((links + 1))
    [ "$links" -le ${mostLinks} ] || { set -- "$@" "$at/$part/"; break; }
    to=$(readlink "$at/$part")
    left=$to\${left:+/$left}
    case $to in /*) at= ;; esac
  done
  deepest=\${at:-/}
  { stat -c '%u %a %A %n' "$@" 2>/dev/null || echo "- - - $deepest"; } | while read -r owner mode kind name; do
    case $owner:$kind:$mode in
      0:l*) continue ;;
      0:*[2367]?|0:*[2367]) case $mode in [1357]???) [ "$name" = "$deepest" ] || continue ;; esac ;;
      0:*) continue ;;
    esac
    echo "$name $owner $mode"
  done | head -n 1
}`

/**
 * sh that leaves the script with `refuse` where the login is root and somebody else could replace the
 * install-directory `$root`: nothing below it is read or run then. The nearest folder that is there stands for one
 * that is not.
 */
export const trustedRoot = (refuse: string): string => `
me=$(id -u)
if [ "$me" = 0 ]; then
  at=$root
  while [ ! -e "$at" ]; do at=\${at%/*}; at=\${at:-/}; done
  found=$(changeable "$at")
  if [ -n "$found" ]; then ${refuse}; fi
fi`

/** Failure of a host whose install-directory others than root could replace; `found` is what `changeable` printed. */
export function untrustedFolder(host: HostConfig, found: string): StepError {
  const [, folder = found, owner = '', mode = ''] = /^(.*) (\d+|-) (\d+|-)$/.exec(found) ?? []
  const whose =
    owner === '0'
      ? `can be changed by users other than root (mode ${mode})`
      : `belongs to the user with the id ${owner}`
  return new StepError({
    host: host.name,
    code: 'install-directory-untrusted',
    message: `${host.installDirectory} cannot be trusted: ${folder} ${whose}, who could replace what root runs there`,
    fix: `Set install-directory to a folder below ones that only root can write, such as /opt/muster; or, on ${host.name}: chown -h root ${folder} && chmod go-w ${folder}`,
  })
}
