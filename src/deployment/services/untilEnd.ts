import { quote } from '../../base/shellWords.ts'
import { unitName } from '../layout.ts'
import type { ServiceSet } from './control.ts'
import { firstProcessFunction } from './firstProcess.ts'
import { processFunctions } from './processScripts.ts'

/** The components that are waited for, and what runs them. */
export type Watched = Pick<ServiceSet, 'manager' | 'cluster' | 'layout' | 'account' | 'components'>

/** Its looks leave with this and the component's number where that has ended; a shell's own codes are far from it. */
const endedCode = 40

/**
 * What the service manager says of a unit. One that it starts again by itself may yet come up: only its second end
 * counts, or that the manager has given up. A unit that waits for its next start has a substate in `auto-restart`,
 * beside which newer versions of systemd show the state `failed`. As long as its first process is the
 * one from before, nothing has ended, and systemd is not asked.
 */
const unitLook = `${firstProcessFunction}
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

/** sh for who has had an answer: something else may have given it, in the place of a process that could not listen. */
const lastLook = (components: Watched['components']): string =>
  components
    .map(
      (component) =>
        `running ${component} || { echo 'the ${component} ended after its start, and something else answers in its place' >&2; exit 1; }`,
    )
    .join('; ')

/** sh function that notices the end of a process, by what its starter wrote down. */
const processLook = 'look() { running "$2" || over "$1"; }'

/**
 * sh that runs a call of `muster-api` with its own standard input, and looks every second whether a component that
 * it waits for has ended. Nobody need wait then for the patience of the call: it is broken off, and in place of its
 * results is told that this component has `ended`. What answers within a second costs no look.
 */
export function untilEnd(call: string, watched: Watched): string {
  const { manager, cluster, components } = watched
  const looks = components.map((component, number) => {
    const what = manager === 'systemd' ? unitName(cluster, component) : component
    return `look ${number} ${quote(what)}`
  })
  const told = components.map((component, number) => {
    const result = { id: component, error: { code: 'ended', message: 'it ended after its start' } }
    return `  ${endedCode + number}) printf '%s\\n' ${quote(JSON.stringify([result]))}; exit 0 ;;`
  })
  return `${manager === 'systemd' ? '' : processFunctions(watched)}exec 3<&0
${call} <&3 &
call=$!
(
  exec </dev/null >/dev/null 2>&1 3<&-
  over() { trap '' TERM; kill "$call"; exit $((${endedCode} + $1)); }
  ${manager === 'systemd' ? unitLook : processLook}
  nap=
  trap 'kill "$nap"; exit 0' TERM
  while kill -0 "$call"; do
    sleep 1 & nap=$!; wait "$nap"
    ${looks.join('\n    ')}
  done
) &
watch=$!
wait "$call" 2>/dev/null; code=$?
kill "$watch" 2>/dev/null; wait "$watch" 2>/dev/null; ended=$?
[ "$code" != 0 ] || { ${manager === 'systemd' ? ':' : lastLook(components)}; exit 0; }
case $ended in
${told.join('\n')}
esac
exit "$code"`
}
