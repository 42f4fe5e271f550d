// Plants the faults of faults.json in the decisions of managers, one at a time, and looks whether the simulation finds them:
//   node test/simulation/plant.js [SEEDS]
// A fault is found where a promise is broken, a run ends with an error, or where fewer clusters are whole, fewer commits
// acknowledged, more of them by a server alone, or fewer or more primaries replaced than without it. Ends with 1 if more than
// one of 20 gets through.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { build } from 'esbuild'

const seeds = Number(process.argv[2] ?? 300)
const faults = JSON.parse(readFileSync(new URL('faults.json', import.meta.url), 'utf8'))
const folder = mkdtempSync(join(tmpdir(), 'muster-plant-'))
const outfile = join(folder, 'simulation.mjs')
const banner =
  "import{createRequire as nodeRequire}from'node:module';const require=nodeRequire(import.meta.url);"

const print = (text) => process.stdout.write(`${text}\n`)

/** Replaces one line of one file while the program is put together. */
const planted = (fault) => ({
  name: 'fault',
  setup: (builder) => {
    if (!fault) return
    const path = resolve('src/components/manager', fault.file)
    builder.onLoad({ filter: /\.ts$/ }, (args) => {
      if (args.path !== path) return undefined
      const text = readFileSync(path, 'utf8')
      if (text.split(fault.line).length !== 2)
        throw new Error(`${fault.file} does not have once: ${fault.line}`)
      return { contents: text.replace(fault.line, fault.becomes), loader: 'ts' }
    })
  },
})

/** Returns what became of the clusters, and whether a promise was broken. */
async function tried(fault) {
  await build({
    entryPoints: ['test/simulation/program.ts'],
    ...{ bundle: true, platform: 'node', target: 'node20.19', format: 'esm', outfile, logLevel: 'silent' },
    banner: { js: banner },
    plugins: [planted(fault)],
  })
  const { status, stdout } = spawnSync(process.execPath, [outfile, '1', String(seeds)], {
    ...{ encoding: 'utf8', timeout: 600_000 },
  })
  const [sums = '{}'] = /^\{.*\}$/m.exec(stdout) ?? []
  const { whole = 0, acknowledged = 0, unprotected = 0, failovers = 0 } = JSON.parse(sums)
  return { isBroken: status !== 0, whole: whole / seeds, acknowledged, unprotected, failovers }
}

const toldOf = ({ whole, acknowledged, unprotected, failovers }) =>
  `${(whole * 100).toFixed(1)} of 100 whole, ${acknowledged} commits and ${unprotected} alone, ${failovers} failovers`

try {
  const usual = await tried(undefined)
  if (usual.isBroken) throw new Error('A promise is broken without a fault.')
  print(`without a fault: ${toldOf(usual)}`)
  let missed = 0
  for (const fault of faults) {
    const found = await tried(fault)
    const isOther =
      found.whole < usual.whole - 0.015 ||
      found.acknowledged < usual.acknowledged * 0.95 ||
      found.unprotected > usual.unprotected * 1.1 ||
      Math.abs(found.failovers - usual.failovers) > usual.failovers * 0.1
    if (!found.isBroken && !isOther) missed += 1
    const how = found.isBroken ? 'a promise is broken' : toldOf(found)
    const is = found.isBroken || isOther ? 'found ' : 'MISSED'
    print(`${is} ${fault.file}: ${fault.line.trim()}  ->  ${fault.becomes.trim()}: ${how}`)
  }
  print(`${faults.length - missed} of ${faults.length} found`)
  process.exitCode = missed * 20 > faults.length ? 1 : 0
} finally {
  rmSync(folder, { recursive: true })
}
