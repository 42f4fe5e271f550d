import type { Component } from '../../contracts/component.ts'
import { quote } from '../../transport/shellWords.ts'
import type { Layout } from '../layout.ts'
import { compileCache } from '../ownProgram.ts'
import { bornFunction } from '../processBirth.ts'

/** Twentieths of a second that a component has to write its pid file. */
const startPatience = 200

/**
 * sh functions for components that run as detached processes. Before any signal, pid, start time and executable
 * are compared with the pid file, so that a reused pid is left alone. A component takes its pid file away before
 * it has quite ended, so its end is seen by the process alone.
 */
export const processFunctions = `
${bornFunction}
alive() {
  now=$(born "$pid")
  [ -n "$now" ] && [ "$now" = "$start" ]
}
running() {
  [ -f "$1" ] || return 1
  read -r pid start exe < "$1" || return 1
  alive || return 1
  case $(readlink "/proc/$pid/exe") in "$exe"|"$exe (deleted)") return 0 ;; esac
  return 1
}
stop() {
  running "$1" || return 0
  kill -TERM "$pid"
  i=0
  while alive; do
    i=$((i + 1))
    if [ "$i" -gt "$2" ]; then kill -KILL "$pid"; sleep 1; break; fi
    sleep 0.1
  done
}
until_named() {
  i=0
  while [ -n "$1" ] && [ ! -s "$2" ] && [ -n "$(born "$1")" ] && [ "$i" -lt ${startPatience} ]; do
    i=$((i + 1))
    sleep 0.05
  done
}
`

/** Tenths of a second that a component has for its end; more by the milliseconds for which its clients may finish. */
export const processPatience = (drainTimeout = 0): number => 150 + Math.ceil(drainTimeout / 100)

/**
 * Stops components and waits until they are gone: 15 s, a connector with clients as long as it drains more, then
 * SIGKILL. A stopped one is left as it is.
 */
export function stopProcesses(options: {
  readonly layout: Layout
  readonly components: readonly Component[]
  /** Milliseconds. */
  readonly drainTimeout: number
}): string {
  const { layout, components, drainTimeout } = options
  const stops = components.map((component) => {
    const file = quote(layout.pidFile(component))
    return `stop ${file} ${processPatience(component === 'connector' ? drainTimeout : 0)}; rm -f ${file}`
  })
  return `${processFunctions}\n${stops.join('\n')}`
}

/** As in the unit (templates/muster-component.service): memory that a password check needed goes back to the system. */
const environment = 'MALLOC_ARENA_MAX=2 MALLOC_TRIM_THRESHOLD_=131072'

/** Starts components that do not run, detached from the session, their output appended to the log file. */
export function startProcesses(layout: Layout, components: readonly Component[]): string {
  const starts = components.map((component) => startProcess(layout, component))
  return `${processFunctions}
cd ${quote(layout.root)} || exit 1
${starts.join('\n')}
${components.map((component) => untilNamed(layout, component)).join('\n')}`
}

/**
 * sh that waits until the component that was started before has written its pid file, or has ended: who stops it sooner
 * would not find it, and it would come up in a release that is gone.
 */
export const untilNamed = (layout: Layout, component: Component): string =>
  `until_named "\${started_${component}:-}" ${quote(layout.pidFile(component))}`

/** The same for one component, without the functions it needs and without waiting for it. */
export function startProcess(layout: Layout, component: Component): string {
  const current = quote(layout.current)
  const file = quote(layout.pidFile(component))
  return `running ${file} || { rm -f ${file}; ${environment} ${compileCache(layout.current)} setsid ${current}/node ${current}/muster-api.cjs serve --settings ${quote(layout.settings(component))} </dev/null >> ${quote(layout.logFile(component))} 2>&1 & started_${component}=$!; }`
}
