import { components } from '../../contracts/component.ts'
import { quote } from '../../transport/shellWords.ts'
import { asService } from '../serviceAccount.ts'
import { processPatience, startProcess } from '../services/process.ts'
import { forEachComponent, type Installed, prelude, replacedFiles } from './prelude.ts'

/**
 * sh that makes a host what its copy says, however far the run came: files as they were, new ones gone,
 * `current` and the turns of the releases, units and whether they are enabled. What still runs as it did is
 * left running; else it is stopped, and what ran before is started. Prints `kept COMPONENT` and
 * `started COMPONENT`. It goes on after what fails, says that in its exit code, and keeps the copy then.
 * What calls changed meanwhile stays; of the users only the administrator's entry is taken back, by the given script. A
 * component that is new takes its state with it.
 */
export function restoreScript(
  installed: Installed,
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
${prelude(installed)}
b=.before
${copy}
wrong=0
reload=0
again=' '
halt() {
  was=$(sed -n "s/^$1 //p" "$b/running" 2>/dev/null)
  if [ -n "$was" ]; then
    if [ "$was" = "$(identity "$1" "$2")" ]; then echo "kept $1"; return; fi
    again="$again$1:\${was%% *} "
  fi
  case $1 in
    connector) stop "$1" ${processPatience(drainTimeout)} ;;
    *) stop "$1" ${processPatience()} ;;
  esac
  rm -f ${quote(layout.processes)}/"$1"
  [ -f "$units/$2" ] && booted || return
  systemctl stop "$2" || wrong=1
  systemctl reset-failed "$2" 2>/dev/null
}
${forEachComponent(installed, 'halt')}
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
unit() {
  if [ -f "$units/$2" ] || [ -f "$b/units/$2" ]; then reload=1; else return; fi
  if [ -f "$b/units/$2" ]; then put "$b/units/$2" "$units/$2"; return; fi
  if booted; then systemctl --quiet disable "$2" || wrong=1; fi
  rm -f "$units/$2"
}
${forEachComponent(installed, 'unit')}
if [ "$reload" = 1 ] && booted; then systemctl daemon-reload || wrong=1; fi
enable() {
  [ -f "$units/$2" ] && booted || return
  if grep -qxF "$2" "$b/enabled" 2>/dev/null; then verb=enable; else verb=disable; fi
  systemctl --quiet "$verb" "$2" || wrong=1
}
${forEachComponent(installed, 'enable')}
begin() {
  case $again in
    *" $1:systemd "*) systemctl start "$2" || { wrong=1; return; } ;;
    *" $1:process "*) case $1 in
${components.map((component) => `      ${component}) ${startProcess(installed, component)} ;;`).join('\n')}
      esac ;;
    *) return ;;
  esac
  echo "started $1"
}
${forEachComponent(installed, 'begin')}
if [ "$wrong" = 0 ] || ${fresh ? 'true' : 'false'}; then rm -rf "$b"; fi
exit "$wrong"`
}
