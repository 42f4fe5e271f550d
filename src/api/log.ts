import { type BaseLogger, type DestinationStream, type Logger, pino } from 'pino'
import type { ServerSettings } from '../contracts/serverSettings.ts'
import type { Door } from './authenticate.ts'
import { lineOutput } from './lineOutput.ts'

/** What a server tells its operator. */
export type Log = Pick<BaseLogger, 'info' | 'warn' | 'error'>

/** A log that tells through which door a call came. */
export type DoorLog = Log & { child(bindings: { readonly door: Door }): Log }

/**
 * The log of a server: one JSON object per line, on standard output unless told. Calls are logged as values
 * that were picked one by one; headers and bodies are never among them.
 */
export function createLog(settings: ServerSettings, destination: DestinationStream = lineOutput(1)): Logger {
  const options = {
    level: settings.logLevel,
    base: { cluster: settings.cluster, host: settings.host, component: settings.component },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  }
  return pino(options, destination)
}
