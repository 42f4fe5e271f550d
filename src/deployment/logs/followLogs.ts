import { StringDecoder } from 'node:string_decoder'
import { HostText } from '../../base/hostText.ts'
import { quote } from '../../base/shellWords.ts'
import type { HostConfig } from '../../config/model.ts'
import { type Component, isComponent } from '../../contracts/component.ts'
import type { Transport } from '../../transport/transport.ts'
import { findAccount, type Installation, pathByPlace } from '../installedAccount.ts'
import { layoutOf } from '../layout.ts'
import { setpriv } from '../serviceAccount.ts'
import { keptLogs } from '../services/implementations.ts'
import { StepError } from '../stepError.ts'
import { untrustedFolder } from '../trustedFolder.ts'
import { decode, type LogForm, type LogLine, lineParser, millisecondsOf } from './parseLogs.ts'
import {
  installationProblem,
  type LogsSelection,
  logsHead,
  unexpectedLogs,
  unreadableLogs,
} from './readLogs.ts'

/** Bytes of one row before base64: a row is written at once (PIPE_BUF in limits.h(0p)), also beside other rows. */
const rowBytes = 2880

/** Characters of a row; the longest one has the manifest. */
const maxRow = 64 * 1024

/** Bytes of what the program of a log says when it has no lines. */
const maxRefusal = 2000

/** Characters of a line; the rest of a longer one is skipped. */
const maxLine = 64 * 1024

/**
 * Returns a POSIX sh script that prints the last lines of each log and then new ones, as rows of base64, until its
 * standard input has a byte or ends. Each log is followed in a session of its own (setsid(1)), so that nothing of it
 * stays behind. A log file is read with the rights of the service user.
 */
function followScript(
  options: Installation & {
    readonly components: readonly Component[]
    /** Maximum lines of each component to begin with. */
    readonly lines: number
  },
): string {
  const { cluster, layout, components, lines } = options
  // The last line feed of an output arrives late, since it may begin the end of the script: each row has a second one.
  const rows = `while chunk=$(dd bs=${rowBytes} count=1 2>/dev/null | base64 | tr -d "\\n"); [ -n "$chunk" ]; do
  printf "%s\\t%s\\t%s\\n\\n" "$1" "$2" "$chunk"
done
printf "ended\\t%s\\n\\n" "$2"`
  const follow = (form: LogForm, component: Component, source: string): string =>
    `setsid sh -c ${quote(`${source} 2>/dev/null | ${rows}`)} sh ${form} ${component} "$file" "$as" & ids="$ids $!"`
  // As `logs` does it: what a log's program says counts where no log has a line. Such as journalctl without rights,
  // which follows nothing, for ever.
  const probes = components.flatMap((component) => {
    const id = { cluster, component }
    return keptLogs.map(
      ({ path, logs }) => `if [ -f ${quote(path(id))} ]; then
  if ${logs.print(id, 1)} 2>/dev/null | grep -qv '^-- '; then seen=yes
  else refusal=$(${logs.print(id, 1)} 2>&1 >/dev/null | head -c ${maxRefusal}); fi
fi`,
    )
  })
  const parts = components.map((component) => {
    const id = { cluster, component }
    const kept = keptLogs.map(
      ({ path, logs }) => `if [ -f ${quote(path(id))} ]; then
  ${follow(logs.format, component, logs.follow(id, lines))}
`,
    )
    const file = pathByPlace('file', { layout, cluster }, ({ logFile }) => logFile(component))
    return `file=\n${kept.join('el')}else
  ${file}
  if [ -n "$file" ]; then ${follow('file', component, `$4 tail -n ${lines} -F -- "$3"`)}; fi
fi`
  })
  return `
trap echo EXIT
${logsHead({ layout })}
echo
${findAccount({ layout, cluster }, { prefix: setpriv })}
ids= seen= refusal=
${probes.join('\n')}
if [ -z "$seen" ] && [ -n "$refusal" ]; then
printf 'refused\\t%s\\n\\n' "$(printf %s "$refusal" | base64 | tr -d '\\n')"
else
${parts.join('\n')}
if [ -z "$ids" ]; then printf 'none\\n\\n'; fi
fi
read -r _
for id in $ids; do kill -KILL "-$id" 2>/dev/null || kill -KILL "$id" 2>/dev/null; done
exit 0
`
}

/**
 * Follows the logs of one host until `signal` is aborted; `onLines` gets the lines as they arrive, and must not throw.
 * Rejects with a `TransportError` or a `StepError`.
 */
export async function followLogs(
  transport: Transport,
  options: LogsSelection & {
    readonly cluster: string
    readonly host: HostConfig
    readonly signal: AbortSignal
    readonly onLines: (lines: readonly LogLine[]) => void
  },
): Promise<void> {
  const { cluster, host, lines, since, signal, onLines } = options
  if (transport.follow === undefined) throw new Error('this transport runs only scripts that end')
  const components = host.apis.map((api) => api.component)
  const stop = new AbortController()
  let failure: StepError | undefined
  const fail = (why: StepError): void => {
    failure ??= why
    stop.abort()
  }
  const readRow = rowReader({ cluster, host, components, since, onLines, fail, onEnd: () => stop.abort() })
  const rows = splitLines(maxRow)
  const onOutput = (bytes: Buffer): void => {
    for (const { text, isCut } of rows(bytes.toString('latin1'))) {
      if (failure !== undefined) return
      if (isCut) fail(unexpectedLogs(host, new HostText(text)))
      else readRow(text)
    }
  }
  const end = (): void => stop.abort()
  signal.addEventListener('abort', end, { once: true })
  if (signal.aborted) end()
  const script = followScript({ cluster, layout: layoutOf(host.installDirectory), components, lines })
  const { stderr } = await transport
    .follow(script, { onOutput, signal: stop.signal })
    .finally(() => signal.removeEventListener('abort', end))
  if (failure !== undefined) throw failure
  if (!signal.aborted) throw String(stderr) === '' ? endedLogs(host) : unreadableLogs(host, stderr)
}

/** Returns what reads the rows of the script. */
function rowReader(options: {
  readonly cluster: string
  readonly host: HostConfig
  readonly components: readonly Component[]
  readonly since: number | undefined
  readonly onLines: (lines: readonly LogLine[]) => void
  readonly fail: (why: StepError) => void
  /** Called when no log is left. */
  readonly onEnd: () => void
}): (row: string) => void {
  const { cluster, host, components, since, onLines, fail } = options
  let oldest = Number.NEGATIVE_INFINITY
  /** Set once the installation is known to be this cluster's. */
  let isOurs = false
  const logs = new Map<Component, LogReader>()
  const ended = new Set<Component>()
  const onClock = (seconds: string): void => {
    const clock = millisecondsOf(seconds)
    if (clock === undefined) fail(unexpectedLogs(host, new HostText(seconds)))
    else if (since !== undefined) oldest = clock - since * 1000
  }
  const onManifest = (manifest: string): void => {
    const problem = installationProblem({ cluster, host }, manifest === '' ? undefined : manifest)
    if (problem === undefined) isOurs = true
    else fail(problem)
  }
  const onBytes = (form: LogForm, component: Component, bytes: Buffer): void => {
    const log = logs.get(component) ?? logReader(host.name, form, component)
    logs.set(component, log)
    const read = log(bytes).filter(({ time }) => time === undefined || time >= oldest)
    if (read.length > 0) onLines(read)
  }
  return (row) => {
    const [kind, first = '', content = ''] = row.split('\t', 3)
    const component = isComponent(first) && components.includes(first) ? first : undefined
    if (kind === 'untrusted') fail(untrustedFolder(host, decode(first)))
    if (kind === 'clock') onClock(first)
    if (kind === 'manifest') onManifest(decode(first))
    if (kind === 'none') fail(nothingToFollow(host))
    if (!isOurs) return
    if (kind === 'refused') fail(unreadableLogs(host, new HostText(decode(first))))
    if (component === undefined) return
    if (kind === 'journal' || kind === 'file') onBytes(kind, component, Buffer.from(content, 'base64'))
    if (kind === 'ended') ended.add(component)
    if (ended.size === components.length) options.onEnd()
  }
}

const endedLogs = (host: HostConfig): StepError =>
  new StepError({
    host: host.name,
    code: 'logs-unreadable',
    message: 'the programs that follow the logs have ended there',
    fix: 'Run the command again.',
  })

const nothingToFollow = (host: HostConfig): StepError =>
  new StepError({
    host: host.name,
    code: 'logs-unreadable',
    message: 'no component has a log there',
    fix: 'Run `muster install`, which starts the components.',
  })

type LogReader = (bytes: Buffer) => readonly LogLine[]

/** Makes lines of the bytes of one log. A line without a time gets that of the line before it. */
function logReader(host: string, form: LogForm, component: Component): LogReader {
  const decoder = new StringDecoder('utf8')
  const split = splitLines(maxLine)
  const parse = lineParser(form, component)
  let latest: number | undefined
  return (bytes) =>
    split(decoder.write(bytes))
      .filter(({ text }) => text !== '')
      .flatMap(({ text }) => parse(text))
      .map(({ time, text }): LogLine => {
        latest = time ?? latest
        return { host, component, time: latest, text }
      })
}

/** Splits text that arrives in pieces; of a line that is longer than `most`, which may never end, the rest is skipped. */
function splitLines(
  most: number,
): (piece: string) => readonly { readonly text: string; readonly isCut: boolean }[] {
  let line = ''
  let skips = false
  return (piece) => {
    const found: { text: string; isCut: boolean }[] = []
    const parts = piece.split('\n')
    for (const [index, part] of parts.entries()) {
      if (!skips) line += part
      if (line.length > most) {
        found.push({ text: `${line.slice(0, most)}…`, isCut: true })
        line = ''
        skips = true
      }
      if (index === parts.length - 1) break
      if (!skips) found.push({ text: line, isCut: false })
      line = ''
      skips = false
    }
    return found
  }
}
