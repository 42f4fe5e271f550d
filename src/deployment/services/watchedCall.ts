import { quote } from '../../base/shellWords.ts'
import { serviceManagers } from './implementations.ts'
import type { ServiceSet } from './serviceManager.ts'

/** Components to watch during a call, and their service manager. */
export type WatchedComponents = Pick<ServiceSet, 'manager' | 'cluster' | 'layout' | 'account' | 'components'>

/** Exit code that, plus a component's number, says that it has ended; distinct from a shell's own codes. */
const endedCode = 40

/**
 * Returns sh that runs a call of `muster-api` with its own standard input, and checks every second whether a watched
 * component has ended. Then it stops the call early, and prints `ended` for that component instead of the results. A
 * call that responds within a second costs no check.
 */
export function watchedCall(call: string, watched: WatchedComponents): string {
  const { manager, components } = watched
  const { functions, look, nameOf, afterResponse } = serviceManagers[manager].watch(watched)
  const looks = components.map((component, number) => `look ${number} ${quote(nameOf(component))}`)
  const reports = components.map((component, number) => {
    const result = { id: component, error: { code: 'ended', message: 'it ended after its start' } }
    return `  ${endedCode + number}) printf '%s\\n' ${quote(JSON.stringify([result]))}; exit 0 ;;`
  })
  return `${functions}exec 3<&0
${call} <&3 &
call=$!
(
  exec </dev/null >/dev/null 2>&1 3<&-
  over() { trap '' TERM; kill "$call"; exit $((${endedCode} + $1)); }
  ${look}
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
[ "$code" != 0 ] || { ${afterResponse}; exit 0; }
case $ended in
${reports.join('\n')}
esac
exit "$code"`
}
