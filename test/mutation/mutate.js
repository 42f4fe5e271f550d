// Plants one-line faults in the code, one at a time, and looks whether types or tests that load the file catch them.
//   node test/mutation/mutate.js pick [NUMBER] [SEED]   chooses faults over all folders of src into faults.json
//   node test/mutation/mutate.js run [PART]             tries them (those whose file has PART in its path) in a copy of
//                                                       the last commit, and notes in faults.json by what each is caught
// A run ends with 1 if a fault gets through that was caught before.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const listed = new URL('faults.json', import.meta.url)

/** Changes of a line that keep it a program; each gives null where it finds nothing. */
const operators = [
  (it) => replaced(it, / === /, ' !== '),
  (it) => replaced(it, / !== /, ' === '),
  (it) => replaced(it, / && /, ' || '),
  (it) => replaced(it, / \|\| /, ' && '),
  (it) => replaced(it, / < /, ' <= '),
  (it) => replaced(it, / > /, ' >= '),
  (it) => replaced(it, / <= /, ' < '),
  (it) => replaced(it, / >= /, ' > '),
  (it) => replaced(it, /\.some\(/, '.every('),
  (it) => replaced(it, /\.every\(/, '.some('),
  (it) => replaced(it, /Math\.min\(/, 'Math.max('),
  (it) => replaced(it, /Math\.max\(/, 'Math.min('),
  (it) => replaced(it, /\breturn true\b/, 'return false'),
  (it) => replaced(it, /\breturn false\b/, 'return true'),
  (it) => replaced(it, /\bif \(!(?=\w)/, 'if ('),
  (it) => replaced(it, /\bif \((?=[\w.]+\))/, 'if (!'),
  (it) => replaced(it, / \+ 1\b/, ''),
  (it) => replaced(it, / - 1\b/, ''),
  (it) => replaced(it, /\bawait (?=\w+(\.\w+)*\()/, 'void '),
]

const replaced = (line, pattern, by) => (pattern.test(line) ? line.replace(pattern, by) : null)

/** Lines that are no code, or where the same words mean a type. */
const isOther = (line) => /^\s*(\/\/|\/?\*|import |export \{|(export )?type |readonly |\| )/.test(line)

/** Numbers from 0 to 1 that the seed repeats (mulberry32). */
function randomOf(seed) {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

function faultsOf(file) {
  const lines = readFileSync(file, 'utf8').split('\n')
  // A line is found again by its text, so it must be the only one.
  const only = lines.filter((line) => lines.indexOf(line) === lines.lastIndexOf(line) && !isOther(line))
  return only.flatMap((line) =>
    operators.flatMap((change) => {
      const becomes = change(line)
      return becomes === null ? [] : [{ file, line: line.trim(), becomes: becomes.trim() }]
    }),
  )
}

function pick(number, seed) {
  const random = randomOf(seed)
  const any = (list) => list[Math.floor(random() * list.length)]
  const files = execFileSync('git', ['ls-files', 'src'], { encoding: 'utf8' })
    .split('\n')
    .filter((file) => /\.tsx?$/.test(file))
  const byFolder = new Map()
  for (const file of files) {
    const folder = file.split('/')[1]
    byFolder.set(folder, [...(byFolder.get(folder) ?? []), ...faultsOf(file)])
  }
  const folders = [...byFolder.keys()].filter((folder) => byFolder.get(folder).length > 0)
  const faults = []
  while (faults.length < number) {
    for (const folder of folders) {
      const fault = any(byFolder.get(folder))
      if (faults.length < number && !faults.some(({ file }) => file === fault.file)) faults.push(fault)
    }
  }
  save(faults.sort((a, b) => (a.file < b.file ? -1 : 1)))
}

const save = (faults) => writeFileSync(listed, `${JSON.stringify(faults, null, 2)}\n`)

/** Returns by what a fault is caught: `types`, the file of a test, null for nothing; undefined where its line is gone. */
function tried({ file, line, becomes }, copy) {
  const path = join(copy, file)
  if (!existsSync(path)) return undefined
  const before = readFileSync(path, 'utf8')
  const lines = before.split('\n')
  const at = lines.findIndex((it) => it.trim() === line)
  if (at === -1) return undefined
  lines[at] = lines[at].replace(line, () => becomes)
  writeFileSync(path, lines.join('\n'))
  const options = { cwd: copy, encoding: 'utf8', maxBuffer: 256 * 1024 * 1024 }
  try {
    const project = file.startsWith('src/dashboard/') ? ['-p', 'src/dashboard'] : []
    if (spawnSync('npx', ['tsc', '--noEmit', ...project], options).status !== 0) return 'types'
    const report = join(copy, 'mutation.json')
    rmSync(report, { force: true })
    for (const folder of ['test', 'test/scenarios']) {
      const words = ['vitest', 'related', '--run', '--config', `${folder}/vitest.config.ts`, '--bail=1', file]
      const ran = spawnSync('npx', [...words, '--reporter=json', `--outputFile=${report}`], options)
      if (ran.status === 0) continue
      const failed = JSON.parse(readFileSync(report, 'utf8')).testResults.find(
        ({ status }) => status === 'failed',
      )
      return failed === undefined
        ? 'a file that cannot be loaded'
        : failed.name.slice(resolve(copy).length + 1)
    }
    return null
  } finally {
    writeFileSync(path, before)
  }
}

function run(part) {
  const faults = JSON.parse(readFileSync(listed, 'utf8'))
  const copy = mkdtempSync(join(tmpdir(), 'muster-mutation-'))
  let worse = 0
  try {
    execFileSync('git', ['worktree', 'add', '--detach', '--quiet', copy, 'HEAD'])
    symlinkSync(resolve('node_modules'), join(copy, 'node_modules'))
    for (const build of ['build:pages', 'build:dashboard']) {
      execFileSync('npm', ['run', '--silent', build], { cwd: copy })
    }
    for (const fault of faults.filter(({ file }) => file.includes(part))) {
      const caught = tried(fault, copy)
      if (caught === undefined) process.stdout.write(`gone     ${fault.file}: ${fault.line}\n`)
      else {
        if (caught === null && fault.caught) worse += 1
        process.stdout.write(
          `${caught === null ? 'MISSED' : 'caught'}   ${fault.file}: ${fault.becomes}  ${caught ?? ''}\n`,
        )
        fault.caught = caught
        save(faults)
      }
    }
  } finally {
    execFileSync('git', ['worktree', 'remove', '--force', copy])
  }
  const missed = faults.filter(({ caught }) => caught === null).length
  process.stdout.write(`${faults.length} faults, ${missed} missed, ${worse} of them caught before\n`)
  process.exitCode = worse > 0 ? 1 : 0
}

const [what, ...given] = process.argv.slice(2)
if (what === 'pick') pick(Number(given[0] ?? 60), Number(given[1] ?? 1))
else run(given[0] ?? '')
