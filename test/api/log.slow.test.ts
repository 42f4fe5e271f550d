import { execFileSync } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { build } from 'esbuild'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createLog } from '../../src/api/log.ts'
import { lineOutput } from '../../src/api/logOutput.ts'
import type { LogLevel } from '../../src/contracts/choices.ts'
import { heapInUse } from '../support/heapInUse.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'
import { settingsIn } from '../support/testServer.ts'

function opened(logLevel: LogLevel) {
  const lines: Record<string, unknown>[] = []
  const write = (line: string): void => {
    expect(line.endsWith('}\n')).toBe(true)
    lines.push(JSON.parse(line))
  }
  return { lines, log: createLog(settingsIn(temporaryFolder(), { logLevel }), { write }) }
}

describe('the log of a server', () => {
  it('writes time, place and message in each line', () => {
    const { lines, log } = opened('info')
    const before = new Date().toISOString()
    log.child({ door: 'tcp' }).info({ path: '/a"b', user: undefined }, 'one "call"')
    log.warn('no facts')
    const place = { cluster: 'alpha', host: 'db1', component: 'manager' }
    const time = expect.any(String)
    expect(lines).toEqual([
      { level: 'info', time, ...place, door: 'tcp', path: '/a"b', msg: 'one "call"' },
      { level: 'warn', time, ...place, msg: 'no facts' },
    ])
    for (const line of lines) {
      expect(String(line.time) >= before && String(line.time) <= new Date().toISOString()).toBe(true)
    }
  })

  it('omits what is below its level', () => {
    const { lines, log } = opened('warn')
    log.info('a')
    log.child({ door: 'socket' }).info({}, 'b')
    log.warn('c')
    log.error('d')
    expect(lines.map(({ msg }) => msg)).toEqual(['c', 'd'])
  })

  it('writes an error with its code, its stack and its causes', () => {
    const { lines, log } = opened('error')
    const cause = Object.assign(new Error('below'), { code: 'EDEEP' })
    log.error(
      { requestId: '1', err: Object.assign(new TypeError('above', { cause }), { code: 'EHIGH' }) },
      'x',
    )
    expect(lines).toMatchObject([
      { requestId: '1', err: { type: 'TypeError', message: 'above', code: 'EHIGH' } },
    ])
    const [above, below] = String(Reflect.get(Object(lines[0]?.err), 'stack')).split('\ncaused by: ')
    expect(above).toMatch(/^TypeError: above\n.*log\.slow\.test\.ts/)
    expect(below).toMatch(/^Error: below\n.*log\.slow\.test\.ts/)
  })
})

describe('lines for a log file', () => {
  const fileIn = (folder: string) => {
    const path = join(folder, 'log')
    const file = openSync(path, 'a')
    onTestFinished(() => closeSync(file))
    return { file, text: () => readFileSync(path, 'utf8') }
  }

  it('are written in order when the turn of the event loop ends', async () => {
    const { file, text } = fileIn(temporaryFolder())
    const output = lineOutput(file)
    for (const line of ['a\n', 'é\n', 'c\n']) output.write(line)
    expect(text()).toBe('')
    await turn()
    await turn()
    expect(text()).toBe('a\né\nc\n')
    output.write('d\n')
    await expect.poll(text).toBe('a\né\nc\nd\n')
  })

  it('block nobody if the disk is full, and are limited', async () => {
    // Never closed: what waits to be written would go to whatever file gets its number next.
    const output = lineOutput(openSync('/dev/full', 'w'))
    const before = heapInUse()
    for (let index = 0; index < 300; index += 1) {
      output.write(`${'x'.repeat(100_000)}\n`)
      if (index % 50 === 0) await turn()
    }
    await turn()
    // 30 MB were written.
    expect(heapInUse() - before).toBeLessThan(15_000_000)
  })

  it('are written if the process ends in the same turn', async () => {
    const folder = temporaryFolder()
    const entry = new URL('../../src/api/logOutput.ts', import.meta.url).pathname
    const contents = `import { lineOutput } from ${JSON.stringify(entry)}\nlineOutput(1).write('last\\n')\nprocess.exit(7)`
    const outfile = join(folder, 'program.mjs')
    await build({
      stdin: { contents, resolveDir: folder },
      outfile,
      bundle: true,
      platform: 'node',
      format: 'esm',
    })
    const program = `"$0" "$1"; echo "code $?"`
    expect(execFileSync('sh', ['-c', program, process.execPath, outfile], { encoding: 'utf8' })).toBe(
      'last\ncode 7\n',
    )
  })
})
