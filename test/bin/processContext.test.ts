import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { expect, it } from 'vitest'
import { createProcessContext, printableOutput } from '../../src/bin/processContext.ts'
import { eventually } from '../support/eventually.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'

const hasScript = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux')

it('the context of a process has any number of abort listeners without a warning of Node.js', async () => {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  const outputs = [process.stdout, process.stderr]
  const before = signals.map((name) => process.listeners(name))
  const errors = outputs.map((output) => output.listeners('error'))
  const { signal } = createProcessContext('At once.')
  const warnings: Error[] = []
  const onWarning = (warning: Error): void => void warnings.push(warning)
  process.on('warning', onWarning)
  for (let call = 0; call < 50; call++) signal.addEventListener('abort', () => call)
  // Warnings come in a turn of their own.
  await turn()
  process.off('warning', onWarning)
  expect(warnings).toEqual([])
  signals.forEach((name, index) => {
    const added = process.listeners(name).filter((one) => !before[index]?.includes(one))
    for (const one of added) process.off(name, one)
  })
  outputs.forEach((output, index) => {
    for (const one of output.rawListeners('error')) {
      if (!errors[index]?.includes(one as never)) output.off('error', one as never)
    }
  })
})

it('the output of a process escapes control characters except colours on a terminal, and writes files unchanged', () => {
  const hostile = 'a\u001b[2J\rb\u202e'
  for (const isTTY of [true, false]) {
    const printed: string[] = []
    const output = printableOutput({ write: (text) => printed.push(text), isTTY, columns: 80, rows: 24 })
    output.write(`\u001b[31merror\u001b[39m ${hostile}\n`)
    output.writeFile?.(hostile)
    const shown = 'a\\x1b[2J\\x0db\\u202e'
    expect(printed).toEqual([`\u001b[31merror\u001b[39m ${shown}\n`, isTTY ? shown : hostile])
    expect([output.isTTY, output.columns, output.rows]).toEqual([isTTY, 80, 24])
  }
})

it.skipIf(!hasScript)(
  'a closed terminal stops a process as Ctrl-C does, and its output is no error',
  async () => {
    const folder = temporaryFolder()
    const file = (name: string): string => join(folder, name)
    const textOf = (name: string): string => (existsSync(file(name)) ? readFileSync(file(name), 'utf8') : '')
    await build({
      stdin: {
        contents: `
        import { writeFileSync } from 'node:fs'
        import { createProcessContext } from './src/bin/processContext.ts'
        const { signal, stdout, stderr } = createProcessContext('At once.', { directory: '', version: '1' })
        const running = setInterval(() => {}, 1000)
        signal.addEventListener('abort', async () => {
          // The kernel and the shell may both send it.
          process.emit('SIGHUP')
          for (let line = 0; line < 50; line++) {
            stdout.write('line\\n')
            stderr.write('line\\n')
            await new Promise(setImmediate)
          }
          writeFileSync(${JSON.stringify(file('cleaned'))}, 'up')
          clearInterval(running)
          process.exitCode = 130
        })
        writeFileSync(${JSON.stringify(file('pid'))}, String(process.pid))`,
        resolveDir: fileURLToPath(new URL('../..', import.meta.url)),
        loader: 'ts',
      },
      bundle: true,
      platform: 'node',
      format: 'esm',
      outfile: file('program.mjs'),
    })
    // The inner shell outlives its terminal; the outer one leads the session, whose end tells the program.
    const shell = `(trap '' HUP; '${process.execPath}' '${file('program.mjs')}'; echo $? > '${file('code')}'); exit`
    const terminal = spawn('script', ['--quiet', '--command', shell, '/dev/null'], { stdio: 'ignore' })
    await eventually(() => expect(textOf('pid')).not.toBe(''))
    terminal.kill('SIGKILL')
    await eventually(() => expect(textOf('code')).toBe('130\n'))
    expect(textOf('cleaned')).toBe('up')
  },
)
