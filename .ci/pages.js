// Gathers the pages of docs/ in JSON modules, which git ignores: the programs carry their text and read no file.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'

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
    if (!groups.includes(group))
      throw new Error(`docs/findings/${code}.md: no severity, known group and order`)
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

const pagesIn = (folder) =>
  readdirSync(folder)
    .sort()
    .map((file) => [basename(file, '.md'), readFileSync(`${folder}/${file}`, 'utf8')])

const findings = pagesIn('docs/findings')
write('src/diagnostics/pages.json', findings)
write('src/diagnostics/codes.json', severities(findings))
// Servers carry the pages of what they report; the compiler checks that no code of the contracts lacks one.
write(
  'src/web/pages.json',
  findings.filter(([, text]) => text.includes('\ngroup: Databases of a running service\n')),
)
write('src/config/settings/pages.json', pagesIn('docs/options'))
write('src/diagnostics/failures.json', sections(readFileSync('docs/failures.md', 'utf8')))
