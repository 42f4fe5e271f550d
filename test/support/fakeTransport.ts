import { HostText } from '../../src/base/hostText.ts'
import type { RunOptions, Transport, Upload } from '../../src/transport/transport.ts'
import type { TransportError } from '../../src/transport/transportError.ts'

/** A `RunResult` as tests write it. */
export type ToldResult = { readonly code: number; readonly stdout: string; readonly stderr: string }

/** What to answer to scripts that match: a part of the script, or a pattern. */
export type Expectation = {
  readonly script: string | RegExp
  /** Its parts that are left out: code 0, no output. An error is thrown instead. */
  readonly result?:
    | Partial<ToldResult>
    | TransportError
    | ((script: string, options: RunOptions) => Partial<ToldResult> | TransportError)
  /** How often it may be used; any number of times unless told. */
  readonly times?: number
}

export type FakeTransport = Transport & {
  /** Scripts that were run, in order. */
  readonly scripts: readonly string[]
  /** Files that were written, in order. */
  readonly uploads: readonly Upload[]
  readonly closed: () => boolean
  /** Expectations with `times` that were not used up. */
  unmet(): readonly Expectation[]
}

/**
 * A host that knows only what it was told: a script that matches no expectation fails the test, by name.
 * The first expectation that matches and is not used up answers. An upload fails when `onUpload` says so.
 */
export function fakeTransport(options: {
  readonly host?: string
  readonly expect?: readonly Expectation[]
  readonly onUpload?: (file: Upload) => TransportError | undefined
}): FakeTransport {
  const host = options.host ?? 'db1'
  const waiting = (options.expect ?? []).map((expectation) => ({ expectation, used: 0 }))
  const scripts: string[] = []
  const uploads: Upload[] = []
  let closed = false

  const alive = (what: string): void => {
    if (closed) throw new Error(`${host}: ${what} after close`)
  }
  const matches = (script: string, wanted: string | RegExp): boolean =>
    typeof wanted === 'string' ? script.includes(wanted) : wanted.test(script)

  return {
    host,
    scripts,
    uploads,
    closed: () => closed,
    unmet: () =>
      waiting
        .filter(({ expectation, used }) => used < (expectation.times ?? 0))
        .map(({ expectation }) => expectation),
    run: async (script, runOptions = {}) => {
      alive('run')
      scripts.push(script)
      const found = waiting.find(
        ({ expectation, used }) =>
          used < (expectation.times ?? Number.POSITIVE_INFINITY) && matches(script, expectation.script),
      )
      if (found === undefined) throw new Error(`${host} was not told to expect this script:\n${script}`)
      found.used += 1
      const { result = {} } = found.expectation
      const answer = typeof result === 'function' ? result(script, runOptions) : result
      if (answer instanceof Error) throw answer
      const { code = 0, stdout = '', stderr = '' } = answer
      return { code, stdout: new HostText(stdout), stderr: new HostText(stderr) }
    },
    upload: async (...files) => {
      alive('upload')
      for (const file of files) {
        const error = options.onUpload?.(file)
        if (error !== undefined) throw error
        uploads.push(file)
      }
    },
    close: async () => {
      closed = true
    },
  }
}
