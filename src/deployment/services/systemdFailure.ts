import { constants } from 'node:os'
import { quote } from '../../base/shellWords.ts'
import type { FailureReader, ServiceEnd } from './serviceManager.ts'
import { unitName } from './systemdUnits.ts'

/**
 * Returns sh that prints the properties of a unit, an empty line, and the last log lines of its latest start, by the
 * component or else by systemd. If the journal knows no start, it prints the latest lines.
 */
const unitScript: FailureReader['script'] = ({ cluster }, { component, lines, bytes }) => {
  const unit = quote(unitName({ cluster, component }))
  const journal = `journalctl --no-pager -o cat -n ${lines}`
  return `systemctl show -p ActiveState -p SubState -p Result -p ExecMainCode -p ExecMainStatus -p NRestarts ${unit} 2>/dev/null
echo
journalctl --sync 2>/dev/null
id=$(systemctl show -p InvocationID --value ${unit} 2>/dev/null)
case $id in *[!0-9a-f]*) id= ;; esac
own() { ${journal} -t muster-${component} "$@" 2>/dev/null | tail -c ${bytes}; }
lines=
if [ -n "$id" ]; then
  lines=$(own "_SYSTEMD_INVOCATION_ID=$id")
  [ -n "$lines" ] || lines=$(${journal} "_SYSTEMD_INVOCATION_ID=$id" + "INVOCATION_ID=$id" _PID=1 2>/dev/null | tail -c ${bytes})
fi
[ -n "$lines" ] || lines=$(own -u ${unit})
printf '%s\\n' "$lines"`
}

/** Exit statuses that systemd itself sets (systemd.exec(5), "Process Exit Codes"). */
const systemdStatus: Readonly<Record<number, string>> = {
  200: 'CHDIR',
  202: 'FDS',
  203: 'EXEC',
  216: 'GROUP',
  217: 'USER',
  218: 'CAPABILITIES',
  219: 'CGROUP',
  226: 'NAMESPACE',
  228: 'SECCOMP',
  233: 'RUNTIME_DIRECTORY',
  238: 'STATE_DIRECTORY',
  240: 'LOGS_DIRECTORY',
}

const signalName = (number: number): string =>
  Object.entries(constants.signals).find(([, value]) => value === number)?.[0] ?? `signal ${number}`

/** Describes how the main process ended: CLD_EXITED, CLD_KILLED and CLD_DUMPED of waitid(2). */
function endOf(code: string | undefined, status: number): string | undefined {
  if (!Number.isInteger(status)) return undefined
  if (code === '2' || code === '3') return `killed by ${signalName(status)}`
  if (code !== '1') return undefined
  return `exit status ${status}${systemdStatus[status] === undefined ? '' : `/${systemdStatus[status]}`}`
}

/** Parses the output of `systemctl show`. A unit without properties counts as running. */
function stateOf(properties: ReadonlyMap<string, string>): ServiceEnd {
  const state = properties.get('ActiveState')
  const starts = state === 'activating' && properties.get('SubState') !== 'auto-restart'
  const runs = state === undefined || state === 'active' || starts
  const restarts = Number(properties.get('NRestarts'))
  const result = properties.get('Result') ?? ''
  const parts = [
    // Once it starts again, systemd has forgotten how the start before ended.
    !runs && /^[a-z-]{1,40}$/.test(result) ? `result ${result}` : undefined,
    runs ? undefined : endOf(properties.get('ExecMainCode'), Number(properties.get('ExecMainStatus'))),
    restarts > 0 ? `restarted ${restarts === 1 ? 'once' : `${restarts} times`}` : undefined,
  ].filter((part) => part !== undefined)
  return { runs, ...(parts.length > 0 && { result: parts.join(', ') }) }
}

/** Reads from systemd and its journal why a unit does not run. */
export const systemdFailure: FailureReader = { script: unitScript, stateOf }
