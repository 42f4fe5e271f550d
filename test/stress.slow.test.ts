import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import packageJson from '../package.json' with { type: 'json' }
import { eventually } from './support/eventually.ts'
import { root } from './support/pages.ts'
import { temporaryFolder } from './support/temporaryFolder.ts'

/** Starts `npm run test:stress` for test files with these bodies, which no other configuration includes. */
function startStress(bodies: Readonly<Record<string, string>>, ...options: readonly string[]) {
  const folder = temporaryFolder()
  const config = `export default { root: ${JSON.stringify(folder)}, test: { globals: true } }\n`
  writeFileSync(join(folder, 'vitest.config.ts'), config)
  const files = Object.entries(bodies).map(([name, body]) => {
    writeFileSync(join(folder, `${name}.test.ts`), `it('${name}', () => { ${body} })\n`)
    return join(folder, `${name}.test.ts`)
  })
  const [node = '', script = ''] = packageJson.scripts['test:stress'].split(' ')
  const child = spawn(node, [script, ...options, ...files], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => {
    child.kill()
  })
  let out = ''
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk
  })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  return { child, ended, out: () => out, folder }
}

/** The command lines of all processes on this machine. */
const commandLines = (): readonly string[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        return readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ')
      } catch {
        return []
      }
    })

describe.skipIf(process.platform !== 'linux')('npm run test:stress (needs Linux)', () => {
  it('runs files that pass as often as it is told', async () => {
    const { ended, out } = startStress({ passes: '' }, '--runs', '3')
    expect(await ended).toBe(0)
    expect(out()).toMatch(
      /^run 1 of 3: passed.*\nrun 2 of 3: passed.*\nrun 3 of 3: passed.*\n3 of 3 runs made, 0 failed\n$/,
    )
  })

  it('counts the tests that failed, and prints their output', async () => {
    const bodies = { passes: '', fails: `console.log('said before'); expect(1).toBe(2)` }
    const { ended, out } = startStress(bodies, '--runs', '2')
    expect(await ended).toBe(1)
    expect(out()).toContain('said before')
    expect(out()).toContain('expected 1 to be 2')
    expect(out()).toMatch(/\nfailed 2 of 2 times: \S+fails\.test\.ts: fails\n2 of 2 runs made, 2 failed\n$/)
    expect(out()).not.toContain('passes.test.ts: passes')
  })

  it('begins no run that would end after its limit', async () => {
    const { ended, out } = startStress({ passes: '' }, '--seconds', '0.001')
    expect(await ended).toBe(0)
    expect(out()).toMatch(/^run 1 of 20: passed.*\n1 of 20 runs made, 0 failed\n$/)
  })

  it.each(['SIGINT', 'SIGKILL'] as const)('ends its busy loops also after %s', async (signal) => {
    const { child, ended, out, folder } = startStress({ passes: '' }, '--runs', '1000')
    await eventually(() => expect(out()).toContain('run 1 of'))
    const ours = () => commandLines().filter((it) => it.includes(`=== ${child.pid})`) || it.includes(folder))
    expect(ours().length).toBeGreaterThan(0)
    child.kill(signal)
    await ended
    await eventually(() => expect(ours()).toEqual([]))
  })
})
