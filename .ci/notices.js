// Writes dist/THIRD-PARTY.txt: the licence of every package whose code esbuild put into dist/, since most of
// them allow copies only with their notice. Reads the metafiles that the build leaves in dist/.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'

const metafiles = ['dist/programs.json', 'dist/server.json', 'dist/dashboard.json']
const inputs = metafiles.flatMap((file) => Object.keys(JSON.parse(readFileSync(file, 'utf8')).inputs))
const folders = new Set(
  inputs.flatMap((path) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []),
)

const notices = [...folders].sort().map((folder) => {
  const { name, version, license } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'))
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file))
  const texts = files.map((file) => readFileSync(`${folder}/${file}`, 'utf8').trim())
  return [`${name} ${version} (${license})`, ...texts].join('\n\n')
})

if (notices.length === 0) throw new Error('the metafiles name no package')
writeFileSync('dist/THIRD-PARTY.txt', `${notices.join(`\n\n${'-'.repeat(78)}\n\n`)}\n`)
for (const file of metafiles) if (existsSync(file)) rmSync(file)
