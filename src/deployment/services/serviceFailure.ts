import { constants } from 'node:os'
import type { Component } from '../../contracts/component.ts'
import { quote } from '../../transport/shellWords.ts'
import type { RunOptions, RunResult, Transport } from '../../transport/transport.ts'
import { lastLines } from '../../untrusted/printable.ts'
import { unitName } from '../layout.ts'
import { shortLine } from '../logs/shortLine.ts'
import { mustRun } from '../script.ts'
import { asService } from '../serviceAccount.ts'
import { tailAs } from '../serviceFiles.ts'
import { StepError } from '../stepError.ts'
import type { ServiceSet } from './control.ts'

type Watched = Pick<ServiceSet, 'manager' | 'cluster' | 'account' | 'data'>

/** State of a component that failed, as far as its host tells. */
type ServiceFailure = {
  /** It runs, or nobody can tell. */
  readonly runs: boolean
  /** Of a unit that does not run or was restarted by systemd: `result exit-code, exit status 1, restarted once`. */
  readonly result?: string
  /** The end of its log, printable, each line bounded. */
  readonly lines: readonly string[]
}

/** Lines of a log that a message quotes. */
const quoted = 5

/** Bytes of a log that are read for them. */
const mostLogBytes = 64 * 1024

/**
 * sh that prints the properties of a unit, an empty line, and the last lines of its latest start: what the component
 * logged or, where it never came to that, what systemd says of it. Without a start that the journal knows, what it
 * logged last.
 */
function unitScript({ cluster }: Watched, component: Component): string {
  const unit = quote(unitName(cluster, component))
  const journal = `journalctl --no-pager -o cat -n ${quoted}`
  return `systemctl show -p ActiveState -p SubState -p Result -p ExecMainCode -p ExecMainStatus -p NRestarts ${unit} 2>/dev/null
echo
journalctl --sync 2>/dev/null
id=$(systemctl show -p InvocationID --value ${unit} 2>/dev/null)
case $id in *[!0-9a-f]*) id= ;; esac
own() { ${journal} -t muster-${component} "$@" 2>/dev/null | tail -c ${mostLogBytes}; }
lines=
if [ -n "$id" ]; then
  lines=$(own "_SYSTEMD_INVOCATION_ID=$id")
  [ -n "$lines" ] || lines=$(${journal} "_SYSTEMD_INVOCATION_ID=$id" + "INVOCATION_ID=$id" _PID=1 2>/dev/null | tail -c ${mostLogBytes})
fi
[ -n "$lines" ] || lines=$(own -u ${unit})
printf '%s\\n' "$lines"`
}

const processScript = ({ account, data }: Watched, component: Component): string =>
  `echo; ${tailAs(asService(account), quote(data.logFile(component)), { lines: quoted, bytes: mostLogBytes })} 2>/dev/null`

/** Exit statuses that systemd itself ends a process with (systemd.exec(5), "Process Exit Codes"). */
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

/** How the main process ended: CLD_EXITED, CLD_KILLED and CLD_DUMPED of waitid(2). */
function endOf(code: string | undefined, status: number): string | undefined {
  if (!Number.isInteger(status)) return undefined
  if (code === '2' || code === '3') return `killed by ${signalName(status)}`
  if (code !== '1') return undefined
  return `exit status ${status}${systemdStatus[status] === undefined ? '' : `/${systemdStatus[status]}`}`
}

/** Reads what `systemctl show` printed of a unit: whether it runs or is being started, and how its last start ended. */
function readProperties(properties: ReadonlyMap<string, string>): Pick<ServiceFailure, 'runs' | 'result'> {
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

/** Asks a host why a component does not run or answer. Never rejects: it is asked when something failed already. */
export async function serviceFailure(
  transport: Transport,
  set: Watched,
  component: Component,
): Promise<ServiceFailure> {
  const isUnit = set.manager === 'systemd'
  const script = isUnit ? unitScript(set, component) : processScript(set, component)
  const answer = await transport.run(script).catch(() => undefined)
  const text = answer?.stdout.raw() ?? ''
  const head = /^(?:\w+=[^\n]*\n){0,20}\n/.exec(text)?.[0] ?? ''
  const pairs = head.split('\n').map((line) => line.split('=', 2))
  const state = isUnit
    ? readProperties(new Map(pairs.map(([name = '', value = '']) => [name, value])))
    : { runs: true }
  const lines = text
    .slice(head.length)
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-quoted)
    .map((line) => lastLines(shortLine(line)))
  return { ...state, lines }
}

/** The end of a message: the result of the unit, where it has one, and the last lines of the log, each on its own. */
export function failureWords({ result, lines }: ServiceFailure): string {
  const state = result === undefined ? '' : ` (${result})`
  return lines.length === 0 ? state : [`${state}. Its log ends:`, ...lines].join('\n')
}

/** Messages about several components as one: what their logs say is indented. */
export const several = (messages: readonly string[]): string =>
  messages
    .map((message) => (messages.length === 1 ? message : message.replaceAll('\n', '\n      ')))
    .join('\n')

/**
 * Runs a script that starts components. Where it fails, the `StepError` says of each unit that does not run why, and
 * otherwise what the script printed.
 */
export async function mustStart(
  transport: Transport,
  set: ServiceSet,
  options: RunOptions & { readonly script: string; readonly doing: string; readonly fix: string },
): Promise<RunResult> {
  try {
    return await mustRun(transport, options)
  } catch (error) {
    if (!(error instanceof StepError) || set.manager === 'process') throw error
    const found = await Promise.all(
      set.components.map(async (component) => ({
        component,
        failure: await serviceFailure(transport, set, component),
      })),
    )
    const down = found.filter(({ failure }) => !failure.runs)
    if (down.length === 0) throw error
    const told = down.map(({ component, failure }) => `the ${component} does not run${failureWords(failure)}`)
    const { host, code, fix } = error
    throw new StepError({
      host,
      code,
      fix,
      message: `${options.doing} failed: ${several(told)}`,
      cause: error,
    })
  }
}
