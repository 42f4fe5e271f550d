import { quote } from '../../base/shellWords.ts'
import { serviceManagerNames } from '../../config/model.ts'
import { components } from '../../contracts/component.ts'
import { asService } from '../serviceAccount.ts'
import { serviceManagers } from '../services/implementations.ts'
import type { SnapshotSource } from '../services/serviceManager.ts'
import { forEachComponent, functionOf, replacedFiles, snapshotFunctions } from './takeScript.ts'

const managers = serviceManagerNames.map((name) => ({ name, snapshot: serviceManagers[name].snapshot }))

/**
 * sh that makes a host what its snapshot says, however far the run came: files as they were, new ones gone,
 * `current` and the turns of the releases, definitions of services and whether they are enabled. What still runs as
 * it did is left running; else it is stopped, and what ran before is started. Prints `kept COMPONENT` and
 * `started COMPONENT`. It goes on after what fails, says that in its exit code, and keeps the snapshot then.
 * What calls changed meanwhile stays; of the users only the administrator's entry is taken back, by the given script. A
 * component that is new takes its state with it.
 */
export function restoreScript(
  installed: SnapshotSource,
  options: {
    /** Nothing of the installation had run: everything that a run puts in place is taken away. */
    readonly fresh: boolean
    /** sh that gives the administrator's entry back, standard input its own; empty where it was not changed. */
    readonly users: string
    /** Milliseconds for which a connector that has to stop lets its clients finish. */
    readonly drainTimeout: number
    /** sh that takes back what the components wrote where the run led them; empty where they stayed. */
    readonly data: string
  },
): string {
  const { layout, account, data } = installed
  const { fresh, users, drainTimeout, data: back } = options
  const copy = fresh
    ? 'rm -rf "$b"\nmkdir -m 700 "$b" "$b/units" "$b/turns" "$b/share" || exit 1'
    : `[ -d "$b" ] || { echo 'the copy of what was there is gone' >&2; exit 1; }`
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
for f in ${replacedFiles(installed)}; do back "$f"; done
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
${components.map((component) => `[ -f "$b/share/${component}.json" ] || ${asService(account)}rm -f ${quote(data.stateFile(component))}`).join('\n')}
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
if [ "$wrong" = 0 ] || ${fresh ? 'true' : 'false'}; then rm -rf "$b"; fi
exit "$wrong"`
}
