import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import type { CommandContext } from '../../../src/cli/context.ts'
import { muster } from '../../../src/commands/muster.ts'

export const packageDirectory = fileURLToPath(new URL('../../..', import.meta.url))
export const version: string = JSON.parse(
  readFileSync(join(packageDirectory, 'package.json'), 'utf8'),
).version

export type Outcome = { readonly code: number; readonly stdout: string; readonly stderr: string }

export const words = ({ stdout, stderr }: Outcome): string => `${stdout}${stderr}`

/** What no person may ever read, and how every output ends. */
export function expectDecent(outcome: Outcome): Outcome {
  const { stdout, stderr } = outcome
  for (const text of [stdout, stderr]) {
    expect(text).not.toMatch(/^\s+at .*:\d+:\d+\)?$/m)
    expect(text).not.toMatch(/\b(undefined|NaN|null,|\[object Object\])/)
    // Whoever stops at a question leaves the cursor behind it.
    expect(text === '' || /\n$|\[yes\/no[^\]]*\] $/.test(text), `ends with a newline: ${text}`).toBe(true)
  }
  return outcome
}

/** Somebody who runs muster: a folder with YAML files, and a home of their own. */
export type Operator = {
  readonly directory: string
  readonly home: string
  readonly env: Record<string, string>
  /** Everything that muster has printed so far. */
  readonly printed: () => string
  write(name: string, text: string): string
  /** Runs muster in this process; what it prints is judged by `expectDecent`. */
  muster(argv: readonly string[], options?: RunOptions): Promise<Outcome>
}

export type RunOptions = {
  readonly signal?: AbortSignal
  /** Called with each piece that it prints. */
  readonly watch?: (text: string) => void
  /** Lines typed at a terminal; without them there is none. */
  readonly typed?: string
}

export function createOperator(folder: string): Operator {
  const directory = join(folder, 'operator')
  const home = join(folder, 'home')
  mkdirSync(directory)
  mkdirSync(home, { mode: 0o700 })
  const env: Record<string, string> = {
    HOME: home,
    XDG_CONFIG_HOME: join(home, 'config'),
    PATH: process.env.PATH ?? '',
    MUSTER_TEST_SCRYPT_LN: process.env.MUSTER_TEST_SCRYPT_LN ?? '',
  }
  const all: string[] = []
  return {
    directory,
    home,
    env,
    printed: () => all.join(''),
    write: (name, text) => {
      const path = join(directory, name)
      writeFileSync(path, text)
      return path
    },
    muster: async (argv, options = {}) => {
      const printed = { stdout: '', stderr: '' }
      const output = (stream: 'stdout' | 'stderr') => ({
        write: (text: string) => {
          printed[stream] += text
          all.push(text)
          options.watch?.(text)
        },
      })
      const context: CommandContext = {
        stdin: stdinOf(options.typed),
        stdout: output('stdout'),
        stderr: output('stderr'),
        env,
        cwd: directory,
        now: () => new Date(),
        signal: options.signal ?? new AbortController().signal,
        packageDirectory,
        version,
      }
      const code = await muster({ argv, context })
      return expectDecent({ code, ...printed })
    },
  }
}

function stdinOf(typed: string | undefined): CommandContext['stdin'] {
  if (typed === undefined) return Readable.from([])
  const terminal = Object.assign(new PassThrough(), { isTTY: true })
  terminal.write(typed)
  return terminal
}
