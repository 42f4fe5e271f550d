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

/** Groups of findings, in the order of their lists. */
const groups = [
  'Files and the command line',
  'YAML',
  'Names and values',
  'Services and their hosts',
  'Hosts',
  'Ports',
  'Databases and the proxy',
  'Users and passwords',
  'Keystores and truststores',
  'What is in a keystore or truststore',
  'Certificates of installed hosts',
  'Users of installed hosts',
  'Differences of installed hosts',
  'Databases of a running service',
  'Hooks and webhooks',
  'Comments that silence findings',
  'INI files',
]

/** The severities of findings by code, in groups and in their order, as the front matter of their pages says. */
function severities(pages) {
  const all = pages.map(([code, text]) => {
    const [, severity, group, order] =
      /^---\ntitle: .+\nseverity: (error|warning|note)\ngroup: (.+)\norder: (\d+)\n---\n/.exec(text) ?? []
    if (!groups.includes(group)) throw new Error(`${code}.md says no severity, known group and order`)
    return { code, severity, group, order: Number(order) }
  })
  const inOrder = all.toSorted((a, b) => a.order - b.order)
  return groups.map((group) => [
    group,
    Object.fromEntries(
      inOrder.filter((one) => one.group === group).map(({ code, severity }) => [code, severity]),
    ),
  ])
}

function write(module, pages) {
  const text = `${JSON.stringify(Object.fromEntries(pages), null, 2)}\n`
  // An unchanged file is not written: a newer one would cause a rebuild of the programs.
  if (!existsSync(module) || readFileSync(module, 'utf8') !== text) writeFileSync(module, text)
}

const pagesOf = (
  folder,
  names = readdirSync(folder)
    .sort()
    .map((file) => basename(file, '.md')),
) => names.map((name) => [name, readFileSync(`${folder}/${name}.md`, 'utf8')])

for (const { folder, module, names } of modules) write(module, pagesOf(folder, names))
write('src/diagnostics/codes.json', severities(pagesOf('docs/findings')))
write('src/diagnostics/failures.json', sections(readFileSync('docs/failures.md', 'utf8')))
