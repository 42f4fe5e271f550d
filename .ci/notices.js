// Writes dist/THIRD-PARTY.txt: the licence of every package whose code esbuild put into dist/, since most of
// them allow copies only with their notice. Reads the metafiles of the build, and removes those in dist/. Lists the
// packages for the SBOM (package/sbom.ts).
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'

const metafiles = ['dist/programs.json', 'dist/server.json', 'dist/apply.json']
const inputs = [...metafiles, 'node_modules/.cache/muster/dashboard.json'].flatMap((file) =>
  Object.keys(JSON.parse(readFileSync(file, 'utf8')).inputs),
)
const folders = new Set(
  inputs.flatMap((path) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []),
)

const libraries = [...folders].sort().map((folder) => {
  const { name, version, license, licenses } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'))
  // Older packages have a list of objects.
  return { folder, name, version, license: license ?? licenses?.[0]?.type }
})
const notices = libraries.map(({ folder, name, version, license }) => {
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file))
  const texts = files.map((file) => readFileSync(`${folder}/${file}`, 'utf8').trim())
  return [`${name} ${version} (${license})`, ...texts].join('\n\n')
})

if (notices.length === 0) throw new Error('the metafiles name no package')
writeFileSync('dist/THIRD-PARTY.txt', `${notices.join(`\n\n${'-'.repeat(78)}\n\n`)}\n`)
mkdirSync('node_modules/.cache/muster', { recursive: true })
writeFileSync('node_modules/.cache/muster/libraries.json', `${JSON.stringify(libraries, null, 2)}\n`)
for (const file of metafiles) rmSync(file)
