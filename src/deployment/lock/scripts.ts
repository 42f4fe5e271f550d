import { quote } from '../../transport/shellWords.ts'
import { bornFunction } from '../processBirth.ts'
import { sha256 } from '../sha256.ts'
import type { RunOwner } from './runOwner.ts'

/** Seconds between two heartbeats, and those after which a lock without one is nobody's (deployment.md, "Lock"). */
export const heartbeat = 5
export const staleAfter = 30

/**
 * Seconds that a run may be silent while its shell still stands: a machine that was switched off leaves its
 * connection open on the host for hours. A script that may take longer says so first.
 */
const silentAfter = 900

/** The lock is the installation's: whoever names the same install-directory is kept out, whatever the cluster. */
export const lockName = (installDirectory: string): string => sha256(installDirectory).slice(0, 16)

/**
 * What all lock scripts begin with. The lock is a folder of this name, below /run, which is there before
 * anything is installed and empty after a boot; without root's rights below /tmp. It is judged and changed
 * only under flock(1) on one file, which the kernel lets go when its holder dies. Seconds are those since
 * boot: a clock that is set meanwhile matters not, and what another boot left is stale.
 */
const prelude = (name: string): string => `
while read -r key _ uid _; do [ "$key" = Uid: ] && break; done < /proc/self/status
if [ "$uid" = 0 ] && [ -d /run ]; then place=/run/muster; else place=/tmp/muster-$uid; fi
lock=$place/${name}
up() { read -r now _ < /proc/uptime; echo "\${now%%.*}"; }
first() { said=; if [ -r "$1" ]; then read -r said < "$1" || :; fi; }
${bornFunction}
idle() {
  is=$(up); first "$lock/beat"; beat=$said
  case $beat in ''|*[!0-9]*) echo ${staleAfter * 10}; return ;; esac
  if [ "$beat" -gt "$is" ]; then echo ${staleAfter * 10}; else echo $((is - beat)); fi
}
owned() { first "$lock/id"; [ "$said" = "$1" ]; }
gate() { exec 9>>"$place/gate" && flock -w 10 9; }
drop() {
  first "$lock/beater"; beater=$said; rm -rf "$lock"
  case $beater in ''|*[!0-9]*) ;; *) kill "$beater" 2>/dev/null ;; esac
}
tell() { printf 'held\\t%s\\t%s\\t%s\\n' "$(idle)" "$(date -u -r "$lock/id" +%Y-%m-%dT%H:%M:%SZ 2>/dev/null)" "$(base64 < "$lock/owner" 2>/dev/null | tr -d '\\n')"; }
`

/** Keeps the lock fresh as long as our shell stands, and takes it away when that is gone: nothing of the run is left then. */
const beater = (id: string): string => `
beater() {
  trap 'kill "$nap" 2>/dev/null; exit 0' TERM
  while :; do
    sleep ${heartbeat} & nap=$!; wait "$nap"
    owned ${id} || exit 0
    if [ "$(born $$)" != "$shell" ]; then
      gate || exit 0
      owned ${id} && rm -rf "$lock"
      exit 0
    fi
    [ $(($(up) - $(cat "$lock/sign"))) -lt ${silentAfter} ] || exit 0
    up > "$lock/beat.new" && mv -f "$lock/beat.new" "$lock/beat"
  done
}
`

/**
 * Takes the lock, or tells who has it; `broken` is the id of an owner that is known to be over. One line
 * comes first in the output: `taken`, `held` or `failed`. What follows the script runs only with the lock.
 */
export function takeScript(options: {
  readonly installDirectory: string
  readonly owner: RunOwner
  readonly broken?: string
}): string {
  const { owner, broken } = options
  return `(
${prelude(lockName(options.installDirectory))}${beater(owner.id)}
fail() { printf 'failed\\t%s\\n' "$1"; exit 1; }
command -v flock >/dev/null 2>&1 || fail 'there is no flock (package util-linux)'
[ -d "$place" ] || mkdir -m 700 "$place" 2>/dev/null
# Nobody else makes anything in /run.
[ "$place" = /run/muster ] && [ -d "$place" ] ||
  [ "$(stat -c '%u %a %F' "$place" 2>/dev/null)" = "$uid 700 directory" ] || fail "$place is not a folder that is ours alone, or could not be made"
gate || fail "$place/gate could not be locked"
if [ -d "$lock" ]; then
  if [ "$(idle)" -lt ${staleAfter} ] && ! owned ${quote(broken ?? '-')}; then tell; exit 1; fi
  # Who is over may have left a script behind that is not: its shell ends with it.
  old=; began=; waited=0
  if [ -r "$lock/shell" ]; then read -r old began < "$lock/shell" || :; fi
  while [ -n "$began" ] && [ "$(born "$old")" = "$began" ] && [ "$waited" -lt 8 ]; do sleep 1; waited=$((waited + 1)); done
  drop
fi
mkdir "$lock" && printf '%s\\n' ${quote(owner.id)} > "$lock/id" && printf '%s\\n' ${quote(JSON.stringify(owner))} > "$lock/owner" &&
  up > "$lock/sign" && up > "$lock/beat" || { rm -rf "$lock"; fail "$lock could not be written"; }
shell=$(born $$)
echo "$$ $shell" > "$lock/shell"
( exec </dev/null >/dev/null 2>&1 9>&-; beater ) &
echo $! > "$lock/beater"
printf 'taken\\n'
) || exit 0
`
}

/** Says that the run is still there; cheap, and needed only every few minutes. */
export const renewScript = (installDirectory: string, id: string): string =>
  `${prelude(lockName(installDirectory))}if owned ${quote(id)}; then up > "$lock/sign.new" && mv -f "$lock/sign.new" "$lock/sign"; fi`

/**
 * Lets go of the lock of one run, whether it still lives or not; another's stays. Without an id it is whosever.
 * Tells `released` or nothing.
 */
export const releaseScript = (installDirectory: string, id: string | undefined): string =>
  `${prelude(lockName(installDirectory))}if [ -d "$lock" ] && gate${id === undefined ? '' : ` && owned ${quote(id)}`}; then drop; echo released; fi`

/** Tells who holds the lock: one line `held`, or `free`. Changes nothing. */
export const statusScript = (installDirectory: string): string =>
  `${prelude(lockName(installDirectory))}if [ -d "$lock" ]; then tell; else echo free; fi`

/** Says beforehand that a script of the run keeps the shell busy for that many seconds: it can give no sign meanwhile. */
export const busyScript = (options: {
  readonly installDirectory: string
  readonly id: string
  readonly seconds: number
}): string =>
  `(${prelude(lockName(options.installDirectory))}if owned ${quote(options.id)}; then echo $(($(up) + ${options.seconds})) > "$lock/sign.new" && mv -f "$lock/sign.new" "$lock/sign"; fi)\n`

/** Milliseconds of a script beyond which it is said beforehand. */
export const isLong = (timeout: number | undefined): timeout is number =>
  timeout !== undefined && timeout > (silentAfter * 1000) / 2
