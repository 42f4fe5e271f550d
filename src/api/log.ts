import { type DestinationStream, type Logger, pino } from 'pino'
import type { ServerSettings } from '../contracts/serverSettings.ts'

/**
 * The log of a server: one JSON object per line, on standard output unless told. Calls are logged as values
 * that were picked one by one; headers and bodies are never among them.
 */
export function createLog(settings: ServerSettings, destination?: DestinationStream): Logger {
  const options = {
    level: settings.logLevel,
    base: { cluster: settings.cluster, host: settings.host, component: settings.component },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  }
  return destination ? pino(options, destination) : pino(options)
}
