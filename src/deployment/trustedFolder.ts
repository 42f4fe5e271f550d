import type { HostConfig } from '../config/model.ts'
import { StepError } from './stepError.ts'

/**
 * sh function `changeable PATH`: prints the first file or folder on the way to it, by
 * its name and by where its links lead, that somebody else than root could change or replace, with owner and mode;
 * nothing where there is none. A folder such as /tmp, in which everybody can make something and nobody remove what is
 * root's (sticky, inode(7)), is as good as root's own on the way to a file of root.
 */
export const changeableFunction = `
changeable() {
  for p in "$1" "$(readlink -f "$1")"; do
    deepest=$p
    set --
    while [ -n "$p" ]; do set -- "$@" "$p"; p=\${p%/*}; done
    { stat -L -c '%u %a %n' "$@" / 2>/dev/null || echo "- - $deepest"; } | while read -r owner mode at; do
      case $owner:$mode in
        0:*[2367]?|0:*[2367]) case $mode in [1357]???) [ "$at" = "$deepest" ] || continue ;; esac ;;
        0:*) continue ;;
      esac
      echo "$at $owner $mode"
    done
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
      ? `may be changed by others than root (mode ${mode})`
      : `belongs to the user with the id ${owner}`
  return new StepError({
    host: host.name,
    code: 'install-directory-untrusted',
    message: `${host.installDirectory} cannot be trusted: ${folder} ${whose}, who could replace what root runs there`,
    fix: `Set install-directory to a folder below ones that only root can write, such as /opt/muster; or, on ${host.name}: chown root ${folder} && chmod go-w ${folder}`,
  })
}
