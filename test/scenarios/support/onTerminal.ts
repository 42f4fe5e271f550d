import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { quote } from '../../../src/base/shellWords.ts'
import { type Operator, packageDirectory } from './operator.ts'

/**
 * Runs the built muster on a terminal of its own (script(1)), as a person does; tells all that came to the screen, `raw` with its control characters. A
 * program that never ends is ended after five minutes, with code -1.
 */
export function onTerminal(
  { directory: cwd, env }: Operator,
  argv: readonly string[],
  /** Called with all that came to the screen so far; the answer is typed once. */
  type?: (screen: string) => string | undefined,
): Promise<{ readonly code: number; readonly screen: string; readonly raw: string }> {
  const command = [process.execPath, join(packageDirectory, 'dist/muster.js'), ...argv].map(quote).join(' ')
  const child = spawn('script', ['-qefc', command, '/dev/null'], {
    cwd,
    env: { ...env, TERM: 'xterm-256color', SHELL: '/bin/sh' },
    stdio: ['pipe', 'pipe', 'inherit'],
    timeout: 300_000,
    killSignal: 'SIGKILL',
  })
  if (type === undefined) child.stdin.end()
  let screen = ''
  let isTyped = false
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    screen += text
    const keys = isTyped ? undefined : type?.(screen)
    if (keys === undefined) return
    isTyped = true
    child.stdin.write(keys)
  })
  return new Promise((resolve) => {
    child.once('close', (code) =>
      resolve({ code: code ?? -1, screen: stripVTControlCharacters(screen), raw: screen }),
    )
  })
}
