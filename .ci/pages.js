// Gathers the pages of docs/ in JSON modules, which git ignores: the programs carry their text and read no file.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'

/** Findings that servers report, by the codes of a problem; the compiler checks the list against the contracts. */
const reasonCodes = [
  'errant-transactions',
  'follows-other',
  'no-writer',
  'not-replicating',
  'partial-replica',
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

/** The texts of a page with a section for each code, by the code that is its heading. */
const sections = (text) =>
  text.split(/^#+ /m).flatMap((section) => {
    const [, code, body] = /^([a-z-]+)\n\n(.*)$/s.exec(section) ?? []
    return code === undefined ? [] : [[code, body.trim()]]
  })

function write(module, pages) {
  const text = `${JSON.stringify(Object.fromEntries(pages), null, 2)}\n`
  // An unchanged file is not written: a newer one would cause a rebuild of the programs.
  if (!existsSync(module) || readFileSync(module, 'utf8') !== text) writeFileSync(module, text)
}

for (const { folder, module, names } of modules) {
  const files = names?.map((name) => `${name}.md`) ?? readdirSync(folder).sort()
  write(
    module,
    files.map((file) => [basename(file, '.md'), readFileSync(`${folder}/${file}`, 'utf8')]),
  )
}
write('src/diagnostics/failures.json', sections(readFileSync('docs/failures.md', 'utf8')))
