import { sha256 } from '../../base/sha256.ts'
import { quote } from '../../base/shellWords.ts'
import { processStartFunction } from '../processStart.ts'
import type { RunOwner } from './runOwner.ts'

/** Seconds between two heartbeats, and seconds after which a lock without one is stale (deployment.md, "Lock"). */
export const heartbeat = 5
export const staleAfter = 30

/**
 * Maximum seconds without a sign from a run whose shell still exists: a machine that was switched off keeps its
 * connection open on the host for hours. A longer script announces itself first.
 */
const maxSilence = 900

/** Returns the name of the lock of an install-directory; it does not depend on the cluster. */
export const lockName = (installDirectory: string): string => sha256(installDirectory).slice(0, 16)

/**
 * Beginning of every lock script. The lock is a folder in a place that only the invoking user can create, so that
 * nobody else can take or block it: /run for root, the home directory for other users. It exists before anything is
 * installed. It is read and changed only under flock(1) on one file, which the kernel releases when its holder dies.
 * The release of the last lock removes that file, and root its folder; a waiting script checks that the file at the
 * path is still the same. Another user's folder stays, because a script that starts in that moment would choose
 * another. Times are seconds since boot, so setting the clock has no effect. The home directory comes from the user
 * database, not from XDG_RUNTIME_DIR or $HOME: all runs of a user must find the same lock, from SSH, cron or a
 * desktop. /run/user is used only if the home cannot be written. Hosts may share a home: the boot id in the name
 * separates them, and identifies locks of an earlier boot.
 */
const lockPrologue = (name: string, { make = false } = {}): string => `
while read -r key _ uid _; do [ "$key" = Uid: ] && break; done < /proc/self/status
ours() { [ "$(stat -c '%u %a %F' "$1" 2>/dev/null)" = "$uid 700 directory" ]; }
if [ "$uid" = 0 ]; then
  place=/run/muster; lock=$place/${name}
  ${make ? '[ -d "$place" ] || mkdir -m 700 "$place" 2>/dev/null' : ':'}
else
  home=$(getent passwd "$uid" 2>/dev/null); home=\${home%:*}; home=\${home##*:}
  home=\${home:-\${HOME:-}}
  for place in "\${home%/}/.local/state/muster/locks" "/run/user/$uid/muster"; do
    ${make ? '[ -d "$place" ] || mkdir -p -m 700 "$place" 2>/dev/null' : ':'}
    [ -w "$place" ] && ours "$place" && break
  done
  read -r boot < /proc/sys/kernel/random/boot_id
  lock=$place/${name}-$boot
fi
held() { [ -d "$lock" ]; }
up() { read -r now _ < /proc/uptime; echo "\${now%%.*}"; }
first() { said=; if [ -r "$1" ]; then read -r said < "$1" || :; fi; }
${processStartFunction}
idle() {
  is=$(up); first "$lock/beat"; beat=$said
  case $beat in ''|*[!0-9]*) echo ${staleAfter * 10}; return ;; esac
  if [ "$beat" -gt "$is" ]; then echo ${staleAfter * 10}; else echo $((is - beat)); fi
}
owned() { first "$lock/id"; [ "$said" = "$1" ]; }
gate() {
  tries=0
  while [ "$tries" -lt 100 ]; do
    tries=$((tries + 1))
    [ -d "$place" ] || mkdir -p -m 700 "$place" 2>/dev/null
    ours "$place" || continue
    { command exec 9>>"$place/gate"; } 2>/dev/null || continue
    flock -w 10 9 || return
    [ "$place/gate" -ef /proc/self/fd/9 ] && return
  done
  return 1
}
tidy() {
  ours "$place" || return 0
  for one in "$place"/* "$place"/.[!.]*; do
    if [ -e "$one" ] || [ -L "$one" ]; then [ "$one" = "$place/gate" ] || return 0; fi
  done
  rm -f "$place/gate"
  if [ "$uid" = 0 ]; then rmdir "$place" 2>/dev/null; fi
}
remove() { rm -f "$lock/id"; rm -rf "$lock"; }
drop() {
  first "$lock/beater"; beater=$said; remove
  case $beater in ''|*[!0-9]*) ;; *) kill "$beater" 2>/dev/null ;; esac
}
report() { printf 'held\\t%s\\t%s\\t%s\\n' "$(idle)" "$(date -u -r "$lock/id" +%Y-%m-%dT%H:%M:%SZ 2>/dev/null)" "$(base64 < "$lock/owner" 2>/dev/null | tr -d '\\n')"; }
`

/** Returns sh that ends the shell of a run that holds the lock, with the script that it runs. */
export const endRunScript = (installDirectory: string, id: string): string => `(
${lockPrologue(lockName(installDirectory))}
held && owned ${quote(id)} || exit 0
read -r shell began < "$lock/shell" || exit 0
[ "$(born "$shell")" = "$began" ] || exit 0
group=$(sed 's/.*) //' "/proc/$shell/stat" 2>/dev/null | cut -d' ' -f3)
kill -KILL -- "-$group" 2>/dev/null
kill -KILL "$shell" 2>/dev/null
)`

/** Returns sh that refreshes the lock while the run's shell exists, and removes it afterwards. */
const heartbeatScript = (id: string): string => `
beater() {
  trap 'kill "$nap" 2>/dev/null; exit 0' TERM
  while :; do
    sleep ${heartbeat} & nap=$!; wait "$nap"
    owned ${id} || exit 0
    if [ "$(born $$)" != "$shell" ]; then
      gate || exit 0
      owned ${id} && remove && tidy
      exit 0
    fi
    [ $(($(up) - $(cat "$lock/sign"))) -lt ${maxSilence} ] || exit 0
    up > "$lock/beat.new" && mv -f "$lock/beat.new" "$lock/beat"
  done
}
`

/**
 * Returns sh that acquires the lock, or reports its owner; `broken` is the id of an owner that is known to have
 * ended. The first line of the output is `taken`, `held` or `failed`. The script that follows runs only with the
 * lock.
 */
export function takeScript(options: {
  readonly installDirectory: string
  readonly owner: RunOwner
  readonly broken?: string
}): string {
  const { owner, broken } = options
  return `(
${lockPrologue(lockName(options.installDirectory), { make: true })}${heartbeatScript(owner.id)}
fail() { printf 'failed\\t%s\\n' "$1"; exit 1; }
command -v flock >/dev/null 2>&1 || fail 'flock is not installed (package util-linux)'
gate || { ours "$place" && fail "$place/gate could not be locked"; fail "$place could not be created, or is not a folder that only user $uid can open"; }
if held; then
  # Without an id it was not made, or not removed, to its end: whoever did so had the gate, and was ended.
  if [ -e "$lock/id" ] && [ "$(idle)" -lt ${staleAfter} ] && ! owned ${quote(broken ?? '-')}; then report; exit 1; fi
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

/** Returns sh that signals that the run is alive; cheap, and needed only every few minutes. */
export const renewScript = (installDirectory: string, id: string): string =>
  `${lockPrologue(lockName(installDirectory))}if owned ${quote(id)}; then up > "$lock/sign.new" && mv -f "$lock/sign.new" "$lock/sign"; fi`

/**
 * Returns sh that releases the lock of one run, alive or not, and leaves any other lock. Without an id it releases
 * any lock. Prints `released` or nothing.
 */
export const releaseScript = (installDirectory: string, id: string | undefined): string =>
  `${lockPrologue(lockName(installDirectory))}if held && gate${id === undefined ? '' : ` && owned ${quote(id)}`}; then drop; tidy; echo released; fi`

/** Returns sh that prints the owner of the lock: one line `held`, or `free`. Changes nothing. */
export const statusScript = (installDirectory: string): string =>
  `${lockPrologue(lockName(installDirectory))}if held; then report; else echo free; fi`

/** Returns sh that announces a script of that many seconds, during which the run gives no sign. */
export const busyScript = (options: {
  readonly installDirectory: string
  readonly id: string
  readonly seconds: number
}): string =>
  `(${lockPrologue(lockName(options.installDirectory))}if owned ${quote(options.id)}; then echo $(($(up) + ${options.seconds})) > "$lock/sign.new" && mv -f "$lock/sign.new" "$lock/sign"; fi)\n`

/** Returns true if a script with this timeout in milliseconds must be announced. */
export const needsAnnouncement = (timeout: number | undefined): timeout is number =>
  timeout !== undefined && timeout > (maxSilence * 1000) / 2
