import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import packageJson from '../package.json' with { type: 'json' }
import { root } from './support/pages.ts'
import { temporaryFolder } from './support/temporaryFolder.ts'

/** Runs `npm run test:times`; of a folder, or of the tests. */
function listed(...folder: readonly string[]) {
  const [node = '', script = ''] = packageJson.scripts['test:times'].split(' ')
  const { status, stdout } = spawnSync(node, [script, ...folder], { cwd: root, encoding: 'utf8' })
  return { status, lines: stdout.trimEnd().split('\n') }
}

/** Returns what is said of a test with these lines, without its place. */
function said(...lines: readonly string[]): readonly string[] {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'a.test.ts'), `${lines.join('\n')}\n`)
  return listed(folder).lines.flatMap((line) => line.split(`${folder}/a.test.ts:`)[1] ?? [])
}

describe('the tests of muster', () => {
  it('depend on time only where they say why', () => {
    const { status, lines } = listed()
    expect(lines.filter((line) => line.startsWith('test/') && !line.includes(', allowed: '))).toEqual([])
    expect(status).toBe(0)
  })
})

describe('npm run test:times', () => {
  it.each([
    ['waits for a time', 'await new Promise((resolve) => setTimeout(resolve, 50))'],
    ['measures elapsed time', `expect(performance.now() - begun).toBeLessThan(5000)`],
    ['measures elapsed time', `const took = performance.now() - begun`],
    ['compares with the time of day', `expect(at > Date.now()).toBe(true)`],
    ["waits less than the suite's 25 s", `await expect.poll(() => f(1), { timeout: 5000 }).toBe(1)`],
    ["waits less than the suite's 25 s", `await vi.waitFor(\n  () => f(1),\n  { timeout: 5_000 },\n)`],
    ['listens on a fixed port', 'server.listen(8090)'],
    ['uses a folder that others use', `writeFileSync('/tmp/muster', '')`],
  ])('finds what %s', (what, line) => {
    expect(said('// first', line)).toEqual([expect.stringMatching(new RegExp(`^[234]: ${what}$`))])
  })

  it('finds the promised timer under the name by which a file imports it', () => {
    const line = "import { setTimeout as rest } from 'node:timers/promises'"
    expect(said(line, 'await rest(50)', 'await other(50)')).toEqual(['2: waits for a time'])
  })

  it.each([
    ['await new Promise((resolve) => setTimeout(resolve, 60_000))'],
    [`expect(performance.now() - begun).toBeLessThan(25_000)`],
    [`const from = Date.now() - 86_400_000`],
    [`await expect.poll(() => f(1), { timeout: 60_000 }).toBe(1)`],
    [`await run({ command, timeout: 500 })`],
    [`server.listen(0, '127.0.0.1')`],
    [`// performance.now() - begun`],
  ])('passes over %s', (line) => {
    expect(said(line)).toEqual([])
  })

  it('fails for a place without a reason, and lists one with a reason', () => {
    const folder = temporaryFolder()
    const path = join(folder, 'a.test.ts')
    const line = `const took = performance.now() - begun`
    writeFileSync(path, `${line}\n`)
    expect(listed(folder).status).toBe(1)
    writeFileSync(path, `// time: a figure, not a limit\n${line}\n`)
    const { status, lines } = listed(folder)
    expect([status, lines[0]]).toEqual([
      0,
      `${path}:2: measures elapsed time, allowed: a figure, not a limit`,
    ])
  })
})
