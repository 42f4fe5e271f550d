// Gathers the pages of docs/ in JSON modules, which git ignores: the programs carry their text and read no file.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'

/** Findings that servers report, by the codes of a problem; the compiler checks the list against the contracts. */
const reasonCodes = [
  'errant-transactions',
  'follows-other',
  'no-writer',
  'not-replicating',
  'read-only-primary',
  'two-writers',
  'unknown-server',
  'writable-replica',
]

const modules = [
  { folder: 'docs/findings', module: 'src/diagnostics/pages.json' },
  { folder: 'docs/findings', module: 'src/web/pages.json', names: reasonCodes },
  { folder: 'docs/options', module: 'src/config/settings/pages.json' },
]

for (const { folder, module, names } of modules) {
  const files = names?.map((name) => `${name}.md`) ?? readdirSync(folder).sort()
  const pages = files.map((file) => [basename(file, '.md'), readFileSync(`${folder}/${file}`, 'utf8')])
  const text = `${JSON.stringify(Object.fromEntries(pages), null, 2)}\n`
  // An unchanged file is not written: a newer one would cause a rebuild of the programs.
  if (!existsSync(module) || readFileSync(module, 'utf8') !== text) writeFileSync(module, text)
}
