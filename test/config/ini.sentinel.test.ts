import { describe, expect, it } from 'vitest'
import { importIni } from '../../src/config/ini/importIni.ts'
import { joinLines } from '../../src/config/ini/readIni.ts'
import { diagnosticsJson } from '../../src/output/diagnostics/json.ts'
import { diagnosticsText } from '../../src/output/diagnostics/text.ts'
import { loadText, shown as shownOf } from './loadText.ts'

const sentinel = `Zq7'"\\$#%:@ éXw9`
const piece = /Zq7|Xw9|#%:@|\$#%/

const service = '[alpha]\ntopology=clustered\nmaster=db1\nmembers=db1,db2,db3\n'

/** Ways to write a secret into an INI file, right and wrong. */
const lines = [
  `rest-api-admin-pass=${sentinel}`,
  `rest-api-admin-pass=${sentinel} # ${sentinel}`,
  `rest-api-admin-pass="${sentinel}"`,
  `rest-api-admin-pass=${sentinel}\nrest_api_admin_password=${sentinel}`,
  `rest-api-admin-pass: ${sentinel}`,
  `rest-api-admin-pass: ${sentinel}=1`,
  `rest-api-admin-pass ${sentinel}`,
  `rest-api-admin-pas=${sentinel}`,
  `replication-password=${sentinel} \\`,
  `application-password=${sentinel}`,
  `property=replicator.x.password=${sentinel}`,
  `thl-port=${sentinel}`,
  sentinel,
  `=${sentinel}`,
  `[${sentinel}`,
  `[rest-api-admin-pass ${sentinel}]x`,
  `# rest-api-admin-pass=${sentinel}`,
  `# muster: defaults.rest-api-admin-pass = ${sentinel}`,
  `rest-api-users=${sentinel}`,
]

const texts = lines.flatMap((line) => [
  `[defaults]\nrest-api-admin-user=admin\n${line}\n${service}`,
  `${line}\n${service}`,
  `${service}${line}\n`,
  `[defaults@db1]\n${line}\n${service}`,
  `[global]\ncomposite-datasources=a\n${line}\n${service}`,
  `[defaults.replicator]\n${line}\n${service}`,
  `[defaults]\nx\n${line}\n\0`,
])

describe('importing an INI file with a password', () => {
  it.each(texts)('never shows it in findings or on the terminal: %j', (text) => {
    const { yaml = [], findings, source } = importIni({ name: 'tungsten.ini', text })
    const about = { diagnostics: findings, sources: [source], colour: false, width: 300 }
    expect(diagnosticsText(about) + diagnosticsJson(findings)).not.toMatch(piece)
    if (text.includes('\0')) return
    const file = joinLines(yaml, 'text')
    expect(file).toMatch(piece)
    expect(shownOf(loadText(file))).not.toMatch(piece)
    // On a terminal, the value of an option whose name says nothing of a secret is shown as any other.
    if (!text.includes('thl-port')) expect(joinLines(yaml, 'shown')).not.toMatch(piece)
  })

  it('keeps it byte for byte', () => {
    const ini = `[defaults]\nrest-api-admin-user=admin\nrest-api-admin-pass=${sentinel}\n${service}`
    const { config } = loadText(joinLines(importIni({ name: 'a', text: ini }).yaml ?? [], 'text'))
    const password = config?.hosts[0]?.users[0]?.password
    expect(password?.kind === 'literal' && password.value.reveal()).toBe(sentinel)
  })
})
