import type { HostConfig } from '../config/model.ts'
import { StepError } from './stepError.ts'

/** Maximum number of links in a path, as in the kernel (path_resolution(7)). */
const maxLinks = 40

/**
 * Defines the sh function `changeable PATH`: prints the first file, folder or link on the path, every link followed,
 * that a user other than root could change or replace, with owner and mode; nothing if there is none. A folder such
 * as /tmp, where everybody can create files but nobody can remove root's (sticky, inode(7)), is safe on the path to a
 * file of root.
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
    [ "$links" -le ${maxLinks} ] || { set -- "$@" "$at/$part/"; break; }
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
 * Returns sh that ends the script with `refuse` if the login is root and another user could replace the
 * install-directory `$root`: nothing below it is read or run then. If the folder does not exist, its nearest existing
 * parent is checked.
 */
export const requireTrustedRoot = (refuse: string): string => `
me=$(id -u)
if [ "$me" = 0 ]; then
  at=$root
  while [ ! -e "$at" ]; do at=\${at%/*}; at=\${at:-/}; done
  found=$(changeable "$at")
  if [ -n "$found" ]; then ${refuse}; fi
fi`

/** Reports an install-directory that users other than root could replace; `found` is the output of `changeable`. */
export function untrustedFolder(
  host: Pick<HostConfig, 'name' | 'installDirectory'>,
  found: string,
): StepError {
  const [, folder = found, owner = '', mode = ''] = /^(.*) (\d+|-) (\d+|-)$/.exec(found) ?? []
  const whose =
    owner === '0' ? `can be changed by users other than root (mode ${mode})` : `belongs to user id ${owner}`
  return new StepError({
    host: host.name,
    code: 'install-directory-untrusted',
    message: `${host.installDirectory} cannot be trusted: ${folder} ${whose}, who could replace what root runs there`,
    fix: `Set install-directory to a folder whose parents only root can write to, such as /opt/muster. Or run on ${host.name}: chown -h root ${folder} && chmod go-w ${folder}`,
  })
}
