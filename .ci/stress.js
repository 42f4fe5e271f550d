// Runs test files again and again beside one busy loop per core, and prints what failed with its output:
// `npm run test:stress -- [--runs 20] [--seconds N] FILE…`. A test that passes here waits for events, not for times.
import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const root = fileURLToPath(new URL('..', import.meta.url))
const vitest = join(root, 'node_modules/vitest/vitest.mjs')
const usage = 'usage: npm run test:stress -- [--runs 20] [--seconds N] FILE…'

const print = (text) => process.stdout.write(`${text}\n`)

function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      options: { runs: { type: 'string', default: '20' }, seconds: { type: 'string', default: 'Infinity' } },
      allowPositionals: true,
    })
    const runs = Number(values.runs)
    const seconds = Number(values.seconds)
    const files = positionals.map((file) => resolve(file))
    const missing = files.find((file) => !existsSync(file))
    if (missing !== undefined) throw new Error(`no such file: ${missing}`)
    if (files.length === 0 || !(runs >= 1) || !(seconds > 0)) throw new Error(usage)
    return { runs, seconds, files }
  } catch (error) {
    process.stderr.write(`${error.message}\n`)
    process.exit(2)
  }
}

/** The configuration that includes a test file: the nearest above it, but of slow tests that of the whole runs. */
function configOf(file) {
  let folder = dirname(file)
  while (!existsSync(join(folder, 'vitest.config.ts'))) {
    if (folder === dirname(folder)) throw new Error(`no vitest.config.ts above ${file}`)
    folder = dirname(folder)
  }
  const isSlow = folder === join(root, 'test') && file.endsWith('.slow.test.ts')
  return join(isSlow ? join(folder, 'scenarios') : folder, 'vitest.config.ts')
}

const children = new Set()
const folder = mkdtempSync(join(tmpdir(), 'muster-stress-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))

/** Ends with this process, by its own id, even where that is killed and ends nothing. */
const busyLoop = `while (process.ppid === ${process.pid}) {}`

function start(program, options) {
  const child = spawn(process.execPath, program, { cwd: root, ...options })
  children.add(child)
  child.once('close', () => children.delete(child))
  return child
}

/** Runs the files of one configuration once; the names of the tests that failed, and all output. */
async function run(config, files) {
  const report = join(folder, 'report.json')
  rmSync(report, { force: true })
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const child = start([vitest, 'run', '--config', config, ...reporters, ...files], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // Properties are tried with other values each time; a failure prints the seed.
    env: { MUSTER_TEST_SEED: `${randomInt(2 ** 31)}`, ...process.env },
  })
  const chunks = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => chunks.push(chunk))
  const code = await new Promise((done) => child.once('close', done))
  const results = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')).testResults : []
  const failed = results.flatMap(({ name, status, assertionResults }) => {
    const tests = assertionResults.filter((test) => test.status === 'failed').map((test) => test.fullName)
    if (status !== 'failed') return []
    return (tests.length > 0 ? tests : ['the whole file']).map((test) => `${relative(root, name)}: ${test}`)
  })
  if (code !== 0 && failed.length === 0) failed.push(`vitest of ${relative(root, config)}: exit code ${code}`)
  return { failed, output: Buffer.concat(chunks).toString() }
}

const { runs, seconds, files } = readArguments()
const groups = new Map()
for (const file of files) groups.set(configOf(file), [...(groups.get(configOf(file)) ?? []), file])

for (const [signal, code] of Object.entries({ SIGINT: 130, SIGTERM: 143 }))
  process.once(signal, () => {
    for (const child of children) child.kill('SIGTERM')
    process.exit(code)
  })

for (let core = 0; core < availableParallelism(); core += 1) start(['-e', busyLoop], { stdio: 'ignore' })

const began = performance.now()
const failures = new Map()
let made = 0
let longest = 0
let failedRuns = 0
// The last run ends within the limit, too, unless it is slower than all before it.
while (made < runs && (made === 0 || (performance.now() - began + longest) / 1000 <= seconds)) {
  made += 1
  const from = performance.now()
  const results = []
  // The first builds the programs if their source is newer, the others find them built.
  for (const [config, group] of groups) results.push(await run(config, group))
  longest = Math.max(longest, performance.now() - from)
  const broken = results.filter(({ failed }) => failed.length > 0)
  if (broken.length > 0) failedRuns += 1
  for (const { failed, output } of broken) {
    print(output)
    for (const test of failed) failures.set(test, (failures.get(test) ?? 0) + 1)
  }
  const verdict = broken.length > 0 ? 'failed' : 'passed'
  print(`run ${made} of ${runs}: ${verdict} in ${((performance.now() - from) / 1000).toFixed(1)} s`)
}
for (const child of children) child.kill()

for (const [test, times] of failures) print(`failed ${times} of ${made} times: ${test}`)
print(`${made} of ${runs} runs made, ${failedRuns} failed`)
process.exitCode = failedRuns > 0 ? 1 : 0
