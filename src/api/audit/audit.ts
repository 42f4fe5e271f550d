import { createRateLimit } from '../../base/rateLimit.ts'
import type { Log } from '../log.ts'
import { reasonOf } from '../startError.ts'
import { type AuditRecord, auditLine } from './auditEntry.ts'
import type { AuditFile } from './auditFile.ts'

/** Keeps one line per state-changing call. */
export type Audit = {
  /** Resolves to true if changes may be made: the log is writable and holds a line of every earlier change. */
  isReady(): Promise<boolean>
  /** Writes the line of a call, synced to disk if the call was executed. Resolves to false if it is not in the log. */
  record(entry: AuditRecord, options: { readonly executed: boolean }): Promise<boolean>
  /** Number of lines that could not be written, and why none can be written now. */
  state(): { readonly failures: number; readonly problem: string | undefined }
  /** Writes what is still missing, if it can be written, and closes the log. */
  close(): Promise<void>
}

/** Refused calls of other hosts and of nobody known that get a line within a minute; further ones are only counted. */
const refusalsPerMinute = 60
const minute = 60_000

/** And within a day: what these send must not push older lines out of the files. */
const refusalsPerDay = 1000
const day = 24 * 60 * minute

/**
 * Creates an audit log that nobody without a login can fill: rejected calls beyond some per minute are written
 * as a number, `leftOut`, on the next line. A line that cannot be written goes to the server's log instead; that of
 * a change is kept, too, and written before anything else, and until then nothing is `isReady`.
 */
export function createAudit(options: {
  readonly file: AuditFile
  readonly path: string
  readonly place: Readonly<Record<string, string>>
  readonly now: () => Date
  readonly log: Log
  /** Writes each line elsewhere, too: in a journal that our user cannot change, it proves the file. */
  readonly mirror?: (line: object) => void
}): Audit {
  const { file, path, place, now, log, mirror } = options
  /** Lines of changes that were made and are not in the file yet. */
  let unwritten = ''
  let flushing: Promise<boolean> | undefined
  let failures = 0
  let problem: string | undefined
  let leftOut = 0
  const exceedsMinute = createRateLimit(refusalsPerMinute, minute)
  const exceedsDay = createRateLimit(refusalsPerDay, day)

  const exceedsLimit = (): boolean => {
    const time = now().getTime()
    // Only what its minute lets through counts for the day.
    return exceedsMinute(time) || exceedsDay(time)
  }

  const append = async (lines: string, sync: boolean): Promise<void> => {
    const written = await file.append(lines, { sync })
    for (const line of mirror ? written.trimEnd().split('\n') : []) mirror?.(JSON.parse(line))
  }

  const attempt = async (work: () => Promise<void>): Promise<boolean> => {
    try {
      await work()
      if (problem !== undefined) log.info({ path }, 'the audit log can be written again')
      problem = undefined
      return true
    } catch (error) {
      const reason = `the audit log ${path} cannot be written: ${reasonOf(error)}`
      failures += 1
      if (problem !== reason) log.error(reason)
      problem = reason
      return false
    }
  }

  const writeUnwritten = async (): Promise<void> => {
    if (unwritten === '') return file.open()
    const lines = unwritten
    await append(lines, true)
    // What came meanwhile stands behind them.
    unwritten = unwritten.slice(lines.length)
    return undefined
  }

  /** One at a time: two would write the same lines twice. */
  const flush = (): Promise<boolean> => {
    flushing ??= attempt(writeUnwritten).finally(() => {
      flushing = undefined
    })
    return flushing
  }

  return {
    isReady: flush,

    async record(entry, { executed }) {
      const isKnown = entry.caller !== null && entry.caller.kind !== 'host'
      if (!executed && !isKnown && exceedsLimit()) {
        leftOut += 1
        return false
      }
      const skipped = leftOut
      leftOut = 0
      const line = auditLine({ time: now(), place, entry, leftOut: skipped })
      if (await attempt(() => append(line, executed))) return true
      log.error({ audit: JSON.parse(line) }, 'a line is missing from the audit log')
      if (executed) unwritten += line
      else leftOut += skipped + 1
      return false
    },

    state: () => ({ failures, problem }),

    async close() {
      if (unwritten !== '') await flush()
      await file.close()
    },
  }
}
