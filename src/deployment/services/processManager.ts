import { quote } from '../../base/shellWords.ts'
import { type Component, components } from '../../contracts/component.ts'
import { dataIn } from '../layout.ts'
import { compileCache } from '../musterApiCommand.ts'
import { processStartFunction } from '../processStart.ts'
import { asService, dropToServiceUser, setAsService, tailAs } from '../serviceAccount.ts'
import type { ServiceManager, ServiceSet, SnapshotSource } from './serviceManager.ts'

/** Runs components as detached processes, which nothing starts after a reboot. */
export const processManager: ServiceManager = {
  needsRoot: false,
  startsAtBoot: false,
  grantsPrivilegedPorts: false,
  unavailable: () => undefined,
  data: ({ root }) => {
    const data = `${root}/data`
    return dataIn('process', { folders: [data], users: data, state: data, log: data, run: data })
  },
  start: (set) => startProcesses(set),
  stop: (set) => stopProcesses(set),
  facts: {
    functions: ({ layout }) => `${processStartFunction}\n${aliveFunctions(layout.processes)}`,
    has: '[ -f "$root/share/$c.json" ]',
    read: 'state=stopped\nif running "$c"; then state=running; else pid=; fi',
  },
  failure: {
    script: ({ account, data }, { component, lines, bytes }) =>
      `echo; ${tailAs(asService(account), quote(data.logFile(component)), { lines, bytes })} 2>/dev/null`,
  },
  snapshot: {
    identity: 'running "$1" || return 1\necho "process $pid $start"',
    stop: ({ layout }, drainTimeout) => `case $1 in
  connector) stop "$1" ${stopTimeoutTenths(drainTimeout)} ;;
  *) stop "$1" ${stopTimeoutTenths()} ;;
esac
rm -f ${quote(layout.processes)}/"$1"`,
    // Checked afterwards: the starter does not know yet whether it runs.
    start: (source) => `case $1 in
${components.map((component) => `  ${component}) ${startProcess(source, component)} ;;`).join('\n')}
esac
return 0`,
  },
  watch: (set) => ({
    functions: processFunctions(set),
    look: processCheck,
    nameOf: (component) => component,
    afterResponse: finalProcessCheck(set.components),
  }),
}

/** Defines the sh function that detects the end of a process, from the record of its starter. */
const processCheck = 'look() { running "$2" || over "$1"; }'

/**
 * Returns sh that checks the processes again after a response: another program may have sent it, instead of a process
 * that could not listen.
 */
const finalProcessCheck = (components: readonly Component[]): string =>
  components
    .map(
      (component) =>
        `running ${component} || { echo 'the ${component} ended after its start, and another program answers in its place' >&2; exit 1; }`,
    )
    .join('; ')

/** Components that run, or ran, as detached processes. */
export type Processes = Pick<ServiceSet, 'cluster' | 'layout' | 'account'>

/**
 * Returns the sh functions `alive` and `running COMPONENT`: true if a component runs as a process; sets `pid` and
 * `start`. Pid, start time and boot identify a process (proc(5)). The starter recorded them in a folder of its own.
 */
const aliveFunctions = (processes: string): string => `
alive() {
  now=$(born "$pid")
  [ -n "$now" ] && [ "$now" = "$start" ]
}
running() {
  pid=; start=; boot=; is=
  if [ -f ${quote(processes)}/"$1" ]; then
    read -r pid start boot < ${quote(processes)}/"$1" || :
    read -r is < /proc/sys/kernel/random/boot_id
  fi
  case $pid in ''|*[!0-9]*) pid=; return 1 ;; esac
  [ "$boot" = "$is" ] && alive
}`

/**
 * Returns the sh functions for components that run as detached processes: `running` as above, and `stop COMPONENT
 * TENTHS`, which signals with the rights of the service user, so no other user's process can be hit.
 */
export const processFunctions = ({ layout, account }: Processes): string => `
${setAsService(account)}
${processStartFunction}
${aliveFunctions(layout.processes)}
signal() { $as sh -c 'kill "-$1" "$2"' sh "$1" "$pid"; }
stop() {
  running "$1" || return 0
  signal TERM
  i=0
  while alive; do
    i=$((i + 1))
    if [ "$i" -gt "$2" ]; then signal KILL; sleep 1; break; fi
    sleep 0.1
  done
}
`

/** Returns tenths of a second in which a component must end; `drainTimeout` in milliseconds is added. */
const stopTimeoutTenths = (drainTimeout = 0): number => 150 + Math.ceil(drainTimeout / 100)

/**
 * Returns sh that stops components and waits until they have ended: 15 s, plus the drain timeout for a connector with
 * clients, then SIGKILL. A stopped process is left as it is.
 */
export function stopProcesses(options: Processes & Pick<ServiceSet, 'components' | 'drainTimeout'>): string {
  const { layout, components, drainTimeout } = options
  const stops = components.map(
    (component) =>
      `stop ${component} ${stopTimeoutTenths(component === 'connector' ? drainTimeout : 0)}; rm -f ${quote(layout.pidFile(component))}`,
  )
  return `${processFunctions(options)}\n${stops.join('\n')}`
}

/** As in the unit (templates/muster-component.service): returns memory of password checks to the system. */
const environment = 'MALLOC_ARENA_MAX=2 MALLOC_TRIM_THRESHOLD_=131072'

/** Returns sh that starts stopped components, detached from the session. */
export function startProcesses(options: SnapshotSource & Pick<ServiceSet, 'components'>): string {
  const starts = options.components.map((component) => startProcess(options, component))
  return `${processFunctions(options)}
cd / || exit 1
${starts.join('\n')}`
}

/**
 * Returns the same for one component, without the functions. Root neither opens the log nor takes the pid from the
 * component.
 */
function startProcess({ layout, account, data }: SnapshotSource, component: Component): string {
  const current = quote(layout.current)
  const file = quote(layout.pidFile(component))
  const program = `${current}/node ${current}/muster-api.cjs serve --settings ${quote(layout.settings(component))}`
  const open = `umask 077; if [ -e "$1" ] && [ ! -f "$1" ]; then echo "$1 is not a regular file" >&2; exit 1; fi; log=$1; shift; exec "$@" </dev/null >>"$log" 2>&1`
  return `running ${component} || {
rm -f ${file}
${environment} ${compileCache(layout.current)} ${dropToServiceUser(account)}sh -c ${quote(open)} sh ${quote(data.logFile(component))} setsid ${program} </dev/null >/dev/null &
read -r booted < /proc/sys/kernel/random/boot_id
echo "$! $(born "$!") $booted" > ${file}
}`
}
