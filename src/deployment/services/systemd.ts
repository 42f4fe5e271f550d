import { quote } from '../../base/shellWords.ts'
import { type Component, components } from '../../contracts/component.ts'
import { clusterPrefix, dataIn } from '../layout.ts'
import { stopProcesses } from './processManager.ts'
import type {
  ServiceFacts,
  ServiceId,
  ServiceManager,
  ServiceSet,
  ServiceSnapshot,
} from './serviceManager.ts'
import { stopSeconds } from './stopTimeouts.ts'
import { systemdFailure } from './systemdFailure.ts'
import { systemdUnits, unitFunctions, unitName, unitNames } from './systemdUnits.ts'

/**
 * Defines the sh function `populated UNIT`: prints the first process of a running service from the kernel's cgroups
 * (cgroups(7), systemd's default slice); nothing if that is unclear. It starts no program, whereas systemd would
 * involve two daemons.
 */
const firstProcessFunction = `populated() {
  group=/sys/fs/cgroup/system.slice/$1
  if [ -r "$group/cgroup.procs" ]; then read -r first < "$group/cgroup.procs" && echo "$first"; fi
}`

/** Reads the units of a host. */
const facts: ServiceFacts = {
  recognize: 'if [ -d /run/systemd/system ]; then say systemd yes; fi',
  functions: ({ cluster }) => `${unitFunctions(cluster)}\n${firstProcessFunction}`,
  has: 'unit_of "$c" && [ -f "$units/$unit" ] && booted',
  quickCheck: `pid=$(populated "$unit")
if [ -L "$units/multi-user.target.wants/$unit" ]; then enabled=yes; fi`,
  readAll: `installed=
for c in ${components.join(' ')}; do
  unit_of "$c"
  if [ -f "$units/$unit" ]; then installed="$installed $unit"; fi
done
shown=
if [ -n "$installed" ] && booted; then
  shown=$(systemctl show -p Id -p ActiveState -p MainPID -p UnitFileState $installed 2>/dev/null)
fi`,
  read: `state=stopped
id=; active=; main=; file=
while IFS='=' read -r key value; do
  case $key in
    Id) id=$value ;;
    ActiveState) active=$value ;;
    MainPID) main=$value ;;
    UnitFileState) file=$value ;;
    '')
      if [ "$id" = "$unit" ]; then
        case $active in
          active|activating|reloading) state=running ;;
          failed) state=failed ;;
        esac
        pid=$main
        [ "$file" = enabled ] && enabled=yes
      fi ;;
  esac
done <<END
$shown

END`,
}

/** Takes and restores the units of a host. */
const snapshot: ServiceSnapshot = {
  functions: ({ cluster }) => unitFunctions(cluster),
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

/**
 * Defines the sh function that checks a unit. A unit that systemd restarts may still start: only its second end
 * counts, or that systemd has given up. While it waits for its next start, its substate contains `auto-restart`, and
 * newer versions of systemd report the state `failed`. As long as its first process is unchanged, nothing has ended,
 * and systemd is not asked.
 */
const unitCheck = `${firstProcessFunction}
look() {
  pid=$(populated "$2")
  eval "was=\\$pid$1; pid$1=\\$pid"
  [ -z "$pid" ] || [ "$pid" != "$was" ] || return
  shown=$(systemctl show -p ActiveState -p SubState -p NRestarts "$2" 2>/dev/null) || return
  count=\${shown##*NRestarts=}; count=\${count%%[!0-9]*}; count=\${count:-0}
  eval ": \\\${from$1:=$count}; from=\\$from$1"
  case $shown in
    *SubState=*auto-restart*) count=$((count + 1)) ;;
    *ActiveState=failed*|*ActiveState=inactive*) over "$1" ;;
  esac
  [ $((count - from)) -lt 2 ] || over "$1"
}`

const units = ({ cluster, components }: Pick<ServiceSet, 'cluster' | 'components'>): string =>
  unitNames(components.map((component) => ({ cluster, component })))

/**
 * Returns sh that tells a connector to stop and waits for its end, with muster's own timeout: a new unit has the
 * limit of the next connector (TimeoutStopSec), which may drain for less time. The others stop meanwhile.
 */
function drainScript(set: ServiceSet): string {
  const others = set.components.filter((component) => component !== 'connector')
  const stopOthers = others.length === 0 ? '' : `systemctl stop ${units({ ...set, components: others })}\n`
  const unit = quote(unitName({ cluster: set.cluster, component: 'connector' }))
  return `pid=$(systemctl show --property=MainPID --value ${unit})
if [ "\${pid:-0}" != 0 ] && systemctl kill --kill-who=main --signal=TERM ${unit}; then
${stopOthers}i=0
while kill -0 "$pid" 2>/dev/null && [ "$i" -lt ${stopSeconds(set.drainTimeout) * 5} ]; do i=$((i + 1)); sleep 0.2; done
fi
`
}

// Without --since: with it, -n takes the first lines, not the last, before systemd 254.
const journal = (id: ServiceId, lines: number): string =>
  `journalctl --no-pager -o short-unix -n ${lines} -u ${quote(unitName(id))}`

/** Runs components as systemd services. */
export const systemd: ServiceManager = {
  needsRoot: true,
  startsAtBoot: true,
  grantsPrivilegedPorts: true,
  unavailable: (facts) =>
    facts.systemd
      ? undefined
      : {
          code: 'no-systemd',
          message: 'service-manager is systemd, but systemd is not process 1 there',
          fix: 'Leave service-manager at auto, or set it to process. What muster has rendered assumes systemd: render it again with process.',
        },
  data: ({ cluster }) => {
    const name = clusterPrefix(cluster)
    const [state, log, run] = [`/var/lib/${name}`, `/var/log/${name}`, `/run/${name}`]
    // Each unit has a folder of its own below `run`, which systemd removes when the unit stops.
    const socket = (component: Component): string => `${run}/${component}/api.sock`
    return dataIn('systemd', { folders: [state, log], users: state, state, log, run, socket })
  },
  start: (set) => `systemctl reset-failed ${units(set)} 2>/dev/null; systemctl start ${units(set)}`,
  stop: (set) => {
    // The installation before this one may have had no units.
    const processes = stopProcesses(set)
    const drains = set.drainTimeout > 0 && set.components.includes('connector')
    return `${processes}\n${drains ? drainScript(set) : ''}systemctl stop ${units(set)}`
  },
  definitions: systemdUnits,
  logs: {
    format: 'journal',
    print: journal,
    follow: (id, lines) => `${journal(id, lines)} -f`,
    fix: 'Log in as root or with become, or add the login to the group systemd-journal there.',
  },
  facts,
  failure: systemdFailure,
  snapshot,
  watch: ({ cluster }) => ({
    functions: '',
    look: unitCheck,
    nameOf: (component) => unitName({ cluster, component }),
    afterResponse: ':',
  }),
}
