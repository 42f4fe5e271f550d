import { components } from '../../contracts/component.ts'
import { quote } from '../../transport/shellWords.ts'
import { clusterPrefix } from '../layout.ts'
import type { ServiceSnapshot } from './serviceManager.ts'
import { unitDirectory } from './systemdUnits.ts'

/** Units of a host in the scripts that take and restore its snapshot. */
export const systemdSnapshot: ServiceSnapshot = {
  functions: ({ cluster }) => `units=${unitDirectory}
booted() { [ -d /run/systemd/system ]; }
unit_of() { unit=${quote(`${clusterPrefix(cluster)}-`)}$1.service; }`,
  identity: `unit_of "$1"
booted && [ -f "$units/$unit" ] || return 1
case $(systemctl is-active "$unit" 2>/dev/null) in
  active|activating|reloading)
    p=$(systemctl show -p MainPID "$unit" | cut -d= -f2)
    echo "systemd $p $(born "$p")" ;;
  *) return 1 ;;
esac`,
  take: `for c in ${components.join(' ')}; do
  unit_of "$c"
  [ -f "$units/$unit" ] || continue
  cp -a "$units/$unit" "$b/units/"
  if booted && systemctl --quiet is-enabled "$unit" 2>/dev/null; then echo "$unit" >> "$b/enabled"; fi
done`,
  stop: () => `unit_of "$1"
[ -f "$units/$unit" ] && booted || return
systemctl stop "$unit" || wrong=1
systemctl reset-failed "$unit" 2>/dev/null`,
  restore: `reload=0
for c in ${components.join(' ')}; do
  unit_of "$c"
  if [ -f "$units/$unit" ] || [ -f "$b/units/$unit" ]; then reload=1; else continue; fi
  if [ -f "$b/units/$unit" ]; then put "$b/units/$unit" "$units/$unit"; continue; fi
  if booted; then systemctl --quiet disable "$unit" || wrong=1; fi
  rm -f "$units/$unit"
done
if [ "$reload" = 1 ] && booted; then systemctl daemon-reload || wrong=1; fi
for c in ${components.join(' ')}; do
  unit_of "$c"
  [ -f "$units/$unit" ] && booted || continue
  if grep -qxF "$unit" "$b/enabled" 2>/dev/null; then verb=enable; else verb=disable; fi
  systemctl --quiet "$verb" "$unit" || wrong=1
done`,
  start: () => 'unit_of "$1"\nsystemctl start "$unit"',
}
