import { type LogLevel, logLevels } from '../contracts/choices.ts'
import type { ServerSettings } from '../contracts/serverSettings.ts'
import type { Listener } from './caller.ts'
import { lineOutput } from './logOutput.ts'

type LogMethod = { (message: string): void; (facts: object, message: string): void }

/** Log of a server: messages with facts. An error goes into the fact `err`. */
export type Log = Readonly<Record<'info' | 'warn' | 'error', LogMethod>>

/** Log with the level debug. */
export type VerboseLog = Log & { readonly debug: LogMethod }

/** Log that names the listener of a call. */
export type ListenerLog = Log & {
  child(bindings: { readonly door: Listener }): VerboseLog
  /** Writes at every level, such as the lines of the audit log. */
  readonly always?: LogMethod
}

/** Destination of whole lines. */
type LineOutput = { write(line: string): void }

const silent: LogMethod = () => undefined

/** An error with its stack, and those of its causes. */
function describeError(error: Error): object {
  const causes: string[] = []
  for (let it: unknown = error; it instanceof Error && causes.length < 5; it = it.cause) {
    causes.push(it.stack ?? String(it))
  }
  const code = 'code' in error ? { code: error.code } : {}
  return { type: error.name, message: error.message, ...code, stack: causes.join('\ncaused by: ') }
}

const replaced = (_name: string, value: unknown): unknown =>
  value instanceof Error ? describeError(value) : value

/** Returns the members of an object as they stand within the braces of its JSON, and a comma where there are any. */
function members(facts: object): string {
  const json = 'err' in facts ? JSON.stringify(facts, replaced) : JSON.stringify(facts)
  return json === '{}' ? '' : `${json.slice(1, -1)},`
}

/** Returns a clock that formats its text once for each millisecond. */
function clock(): () => string {
  let latest = 0
  let text = ''
  return () => {
    const now = Date.now()
    if (now !== latest) {
      latest = now
      text = new Date(now).toISOString()
    }
    return text
  }
}

/**
 * Creates the log of a server: one JSON object per line, on standard output by default. Calls are logged as values
 * that were picked one by one; headers and bodies are never among them.
 */
export function createLog(settings: ServerSettings, output: LineOutput = lineOutput(1)): ListenerLog {
  const now = clock()
  const { logLevel, cluster, host, component } = settings

  const createLogMethod = (level: LogLevel, bindings: string, always = false): LogMethod => {
    if (!always && logLevels.indexOf(level) < logLevels.indexOf(logLevel)) return silent
    return (facts: object | string, message?: string) => {
      const [json, text] = typeof facts === 'string' ? ['', facts] : [members(facts), message]
      output.write(`{"level":"${level}","time":"${now()}",${bindings}${json}"msg":${JSON.stringify(text)}}\n`)
    }
  }
  const logOf = (bindings: string): VerboseLog => ({
    debug: createLogMethod('debug', bindings),
    info: createLogMethod('info', bindings),
    warn: createLogMethod('warn', bindings),
    error: createLogMethod('error', bindings),
  })
  const bindings = members({ cluster, host, component })
  return {
    ...logOf(bindings),
    always: createLogMethod('info', bindings, true),
    child: (more) => logOf(bindings + members(more)),
  }
}
