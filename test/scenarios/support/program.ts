import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { expectDecent, type Outcome, packageDirectory } from './operator.ts'

export type Ended = Outcome & { readonly signal: NodeJS.Signals | null }

type Program = {
  readonly program: 'muster' | 'tapi'
  readonly argv: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly stdin?: string
  /** Called with everything printed on standard output so far; the answer is what to send at once, in this order. */
  readonly kill?: (stdout: string) => NodeJS.Signals | readonly NodeJS.Signals[] | undefined
}

/** Runs a built program as the README does, to its end; what it prints is judged by `expectDecent`. */
export async function runProgram(options: Program): Promise<Ended> {
  const { program, argv, cwd, env, kill = () => undefined } = options
  const child = spawn(process.execPath, [join(packageDirectory, `dist/${program}.js`), ...argv], { cwd, env })
  const printed = { stdout: '', stderr: '' }
  let sent = false
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed.stdout += text
    const signals = sent ? undefined : kill(printed.stdout)
    if (signals === undefined) return
    sent = true
    for (const signal of [signals].flat()) child.kill(signal)
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    printed.stderr += text
  })
  child.stdin.on('error', () => undefined)
  child.stdin.end(options.stdin ?? '')
  return new Promise((resolve) => {
    child.once('close', (code, signal) => {
      const outcome = { code: code ?? -1, ...printed }
      // Who is killed leaves half a line.
      resolve({ ...(signal === null ? expectDecent(outcome) : outcome), signal })
    })
  })
}
