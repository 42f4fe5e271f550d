import type { Readable, Writable } from 'node:stream'
import { type Collected, collectOutput } from './outputCollector.ts'

/** A child or channel whose sh runs the loop of `shellLoop`. */
export type ShellStreams = {
  readonly stdin: Writable
  readonly stdout: Readable
  readonly stderr: Readable
  /** Resolves with the reason, in words, when the other side is gone; never rejects. */
  readonly gone: Promise<string>
  /** Ends the connection at once. */
  readonly cut: () => void
}

/** How waiting for the marker on both streams ended; `said` is what had come by then. */
export type Outcome =
  | { readonly kind: 'done'; readonly stdout: Collected; readonly stderr: Collected }
  | { readonly kind: 'gone'; readonly why: string; readonly said: string }
  | { readonly kind: 'timeout' | 'flood'; readonly said: string }

type Options = {
  readonly streams: ShellStreams
  readonly marker: string
  /** Bytes kept of each stream. */
  readonly cap: number
  /** Bytes of a stream after which nobody waits for its end: `flood`. */
  readonly patience: number
  /** Milliseconds. */
  readonly timeout: number
}

/** Listens from the moment of the call until `marker` has come on both streams. Never rejects. */
export function exchange({ streams, marker, cap, patience, timeout }: Options): Promise<Outcome> {
  return new Promise((resolve) => {
    const out = collectOutput({ marker, cap })
    const err = collectOutput({ marker, cap })
    let stdout: Collected | undefined
    let stderr: Collected | undefined

    const said = (): string =>
      [err.soFar(), out.soFar()]
        .map((bytes) => bytes.toString('utf8').trim())
        .filter((text) => text !== '')
        .join('\n')

    const settle = (outcome: Outcome): void => {
      clearTimeout(timer)
      streams.stdout.off('data', onStdout)
      streams.stderr.off('data', onStderr)
      // What comes between two exchanges belongs to a background process: let it pass.
      streams.stdout.resume()
      streams.stderr.resume()
      resolve(outcome)
    }
    const judge = (): void => {
      if (stdout !== undefined && stderr !== undefined) settle({ kind: 'done', stdout, stderr })
      else if (Math.max(out.length, err.length) > patience) settle({ kind: 'flood', said: said() })
    }
    const onStdout = (chunk: Buffer): void => {
      stdout ??= out.push(chunk)
      judge()
    }
    const onStderr = (chunk: Buffer): void => {
      stderr ??= err.push(chunk)
      judge()
    }
    const timer = setTimeout(() => settle({ kind: 'timeout', said: said() }), timeout)
    streams.stdout.on('data', onStdout)
    streams.stderr.on('data', onStderr)
    streams.gone.then((why) => settle({ kind: 'gone', why, said: said() }))
  })
}
