// Gathers the pages of docs/ in JSON modules, which git ignores: the programs carry their text and read no file.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'

const modules = {
  'docs/findings': 'src/diagnostics/pages.json',
  'docs/options': 'src/config/settings/pages.json',
}

for (const [folder, module] of Object.entries(modules)) {
  const files = readdirSync(folder).sort()
  const pages = files.map((file) => [basename(file, '.md'), readFileSync(`${folder}/${file}`, 'utf8')])
  const text = `${JSON.stringify(Object.fromEntries(pages), null, 2)}\n`
  // An unchanged file is not written: a newer one would cause a rebuild of the programs.
  if (!existsSync(module) || readFileSync(module, 'utf8') !== text) writeFileSync(module, text)
}
