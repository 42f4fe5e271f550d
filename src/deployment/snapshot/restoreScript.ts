import { quote } from '../../base/shellWords.ts'
import { serviceManagerNames } from '../../config/settings/serviceManagerNames.ts'
import { components } from '../../contracts/component.ts'
import { hostPaths } from '../hostFiles.ts'
import { asService } from '../serviceAccount.ts'
import { serviceManagers } from '../services/implementations.ts'
import type { SnapshotSource } from '../services/serviceManager.ts'
import { forEachComponent, functionOf, removeSnapshotScript, snapshotFunctions } from './takeScript.ts'

const managers = serviceManagerNames.map((name) => ({ name, snapshot: serviceManagers[name].snapshot }))

/**
 * Returns sh that restores a host from its snapshot, however far the run came: previous files, no new ones, `current`
 * and the order of the releases, definitions of services and whether they are enabled. A component that still runs
 * unchanged keeps running; otherwise it is stopped, and the previous one is started. Prints `kept COMPONENT` and
 * `started COMPONENT`. It continues after a failure, reports it by its exit code, and then keeps the snapshot.
 * Changes by API calls stay; of the users only the administrator's entry is restored, by the given script. A new
 * component is removed with its state.
 */
export function restoreScript(
  installed: SnapshotSource,
  options: {
    /** True if the installation never ran: then everything that the run wrote is removed. */
    readonly fresh: boolean
    /** sh that restores the administrator's entry, with its own standard input; empty if it was not changed. */
    readonly users: string
    /** Milliseconds in which a connector that must stop lets its clients finish. */
    readonly drainTimeout: number
    /** sh that restores the previous place of the components' data; empty if it did not change. */
    readonly data: string
  },
): string {
  const { layout, account, data } = installed
  const { fresh, users, drainTimeout, data: back } = options
  const copy = fresh
    ? 'rm -rf "$b"\nmkdir -m 700 "$b" "$b/units" "$b/turns" "$b/share" || exit 1'
    : `[ -d "$b" ] || { echo 'the snapshot is missing' >&2; exit 1; }`
  return `cd ${quote(layout.root)} || exit 1
${snapshotFunctions(installed)}
${managers
  .map(({ name, snapshot }) =>
    [
      functionOf(`stop_${name}`, snapshot.stop(installed, drainTimeout)),
      functionOf(`start_${name}`, snapshot.start(installed)),
    ].join('\n'),
  )
  .join('\n')}
b=.before
${copy}
wrong=0
again=' '
halt() {
  was=$(sed -n "s/^$1 //p" "$b/running" 2>/dev/null)
  if [ -n "$was" ]; then
    if [ "$was" = "$(identity "$1")" ]; then echo "kept $1"; return; fi
    again="$again$1:\${was%% *} "
  fi
${managers.map(({ name }) => `  stop_${name} "$1"`).join('\n')}
}
${forEachComponent('halt')}
# Under another name first, in a folder that is ours alone: then one rename. A full disk has room for a link.
put() {
  [ ! "$1" -ef "$2" ] || return 0
  rm -f .back
  said=$(cp -a "$1" .back 2>&1) || { rm -f .back; ln "$1" .back 2>/dev/null; } || echo "$said" >&2
  mv -fT .back "$2" || wrong=1
}
back() { if [ -f "$b/$1" ]; then put "$b/$1" "$1"; else rm -f "$1"; fi; }
${back === '' ? '' : `{\n${back}\n} || wrong=1`}
for f in ${Object.values(hostPaths(installed)).flat().map(quote).join(' ')}; do back "$f"; done
# The chain comes back before the key: a host that loses its power between them starts with the one beside.
key=share/tls/key.pem
beside=share/tls/.key.pem.muster-back
if [ -f "$b/$key" ]; then put "$b/$key" "$beside"; fi
for d in share/tls share/applied; do
  for f in "$d"/* "$b/$d"/*; do
    if [ -f "$f" ]; then back "\${f#"$b/"}"; fi
  done
done
rm -f "$beside"
${components.map((component) => `[ -f "$b/share/${component}.json" ] || ${asService(account)}rm -f ${data.stateFiles(component).map(quote).join(' ')}`).join('\n')}
for f in releases/*/.activated; do
  [ -f "$f" ] || continue
  t=\${f#releases/}
  t=$b/turns/\${t%/.activated}
  if [ -f "$t" ]; then put "$t" "$f"; else rm -f "$f"; fi
done
was=$(cat "$b/current" 2>/dev/null)
if [ -z "$was" ]; then rm -f current
elif [ "$(readlink current)" != "$was" ]; then
  rm -f .current-new
  ln -s "$was" .current-new && mv -fT .current-new current || wrong=1
fi
${users === '' ? '' : `{\n${users}\n} || wrong=1`}
${managers.map(({ snapshot }) => snapshot.restore ?? '').join('\n')}
begin() {
  case $again in
${managers.map(({ name }) => `    *" $1:${name} "*) start_${name} "$1" || { wrong=1; return; } ;;`).join('\n')}
    *) return ;;
  esac
  echo "started $1"
}
${forEachComponent('begin')}
if [ "$wrong" = 0 ] || ${fresh ? 'true' : 'false'}; then
${removeSnapshotScript}
fi
exit "$wrong"`
}
