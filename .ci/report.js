// Reports of .ci/run in its folder: NAME.json by vitest, `times` with a line `NAME SECONDS USER SYSTEM` of each run.
//   node .ci/report.js count FOLDER NAME   prints `PASSED FAILED` of a run, and adds to FOLDER/failures why
//   node .ci/report.js table FOLDER        prints all runs, the slowest files, and runs that became slower
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'

/** CPU seconds of each run on two cores. Without the file, a run writes it. */
const kept = new URL('times.json', import.meta.url)

const resultsOf = (folder, name) => {
  const path = join(folder, `${name}.json`)
  if (!existsSync(path)) return []
  return JSON.parse(readFileSync(path, 'utf8')).testResults.map((file) => ({
    ...file,
    name: relative(process.cwd(), file.name),
  }))
}

const isFailed = ({ status }) => status === 'failed'
const isSkipped = ({ status }) => status !== 'passed' && status !== 'failed'

/** The first lines of a failure, and what hosts wrote at that time, which test/lab adds at its end. */
function excerptOf(text) {
  const [error, ...journals] = text.split(/^(?=journal of )/m)
  const isOurs = (it) => it.trim() !== '' && !/^\s+at .*\bnode_modules\b/.test(it)
  const cut = (part, first) => part.split('\n').filter(isOurs).slice(0, first)
  return [...cut(error, 12), ...journals.flatMap((it) => cut(it, 20))].map((line) => `  ${line}`)
}

function count(folder, name) {
  const files = resultsOf(folder, name)
  const tests = files.flatMap((file) => file.assertionResults.map((test) => ({ ...test, file: file.name })))
  const failed = tests.filter(isFailed)
  const skipped = tests.filter(isSkipped)
  const broken = files.filter((file) => isFailed(file) && !file.assertionResults.some(isFailed))
  const report = (what, file, test, lines) =>
    appendFileSync(
      join(folder, 'failures'),
      [`${what} in ${name}: ${file}: ${test}`, ...lines, ''].join('\n'),
    )
  for (const { file, fullName, failureMessages } of failed) {
    report('failed', file, fullName, excerptOf(failureMessages.join('\n')))
  }
  for (const { name: file, assertionResults: tests } of files) {
    const skips = tests.filter(isSkipped)
    // In the lab, each test of a file goes on where the one before ended.
    if (skips.length > 1 && tests.some(isFailed))
      report('skipped', file, `${skips.length} tests after a failure`, [])
    else for (const { fullName } of skips) report('skipped', file, fullName, [])
  }
  for (const { name: file, message } of broken) report('not run', file, 'the whole file', excerptOf(message))
  const bad = failed.length + skipped.length
  process.stdout.write(`${tests.length - bad} ${bad + broken.length}\n`)
}

const line = (...columns) => {
  const [first, ...others] = columns
  return `${[first.padEnd(20), ...others.map((it) => String(it).padStart(9))].join('')}\n`
}

function table(folder) {
  const times = readFileSync(join(folder, 'times'), 'utf8')
    .split('\n')
    .filter((it) => /^\S+( [\d.]+){3}$/.test(it))
    .map((it) => it.split(' '))
  const runs = times.map(([name, ...numbers]) => {
    const [seconds, user, system] = numbers.map(Number)
    const files = resultsOf(folder, name)
    const tests = files.flatMap(({ assertionResults }) => assertionResults)
    const failed = tests.filter((it) => isFailed(it) || isSkipped(it)).length
    return {
      name,
      files,
      tests: tests.length,
      failed,
      seconds: Math.round(seconds),
      cpu: Math.round(user + system),
    }
  })
  const sum = (of) => runs.reduce((all, it) => all + it[of], 0)
  const rows = [
    ...runs,
    { name: 'all', tests: sum('tests'), failed: sum('failed'), seconds: sum('seconds'), cpu: sum('cpu') },
  ]
  process.stdout.write(`\n${line('run', 'tests', 'failed', 'seconds', 'CPU s')}`)
  for (const it of rows) process.stdout.write(line(it.name, it.tests, it.failed, it.seconds, it.cpu))

  const files = runs.flatMap((run) =>
    run.files.map((it) => ({
      run: run.name,
      file: it.name,
      seconds: Math.round((it.endTime - it.startTime) / 1000),
    })),
  )
  process.stdout.write('\nslowest files, in seconds\n')
  for (const { run, file, seconds } of files.sort((a, b) => b.seconds - a.seconds).slice(0, 10)) {
    process.stdout.write(`${String(seconds).padStart(6)}  ${run}: ${file}\n`)
  }

  const now = Object.fromEntries(runs.map(({ name, cpu }) => [name, cpu]))
  if (!existsSync(kept)) {
    writeFileSync(kept, `${JSON.stringify(now, null, 2)}\n`)
    return
  }
  const before = JSON.parse(readFileSync(kept, 'utf8'))
  const slower = runs.filter(({ name, cpu }) => before[name] !== undefined && cpu > before[name] * 1.2)
  // Machines differ, so nothing fails by it.
  for (const { name, cpu } of slower) {
    process.stdout.write(
      `\nslower than .ci/times.json says: ${name}, ${before[name]} to ${cpu} CPU seconds\n`,
    )
  }
}

const [what, folder, name] = process.argv.slice(2)
if (what === 'count') count(folder, name)
else table(folder)
