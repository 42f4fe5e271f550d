import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { importIni } from '../../src/config/ini/importIni.ts'
import { joinLines } from '../../src/config/ini/readIni.ts'
import { type LoadResult, loadConfig } from '../../src/config/load.ts'
import { codesOf } from '../../src/diagnostics/codes.ts'
import { diagnosticsText } from '../../src/output/diagnostics/text.ts'

const folder = fileURLToPath(new URL('../fixtures/ini', import.meta.url))
const named = (place: string, end: string): readonly string[] =>
  readdirSync(place)
    .filter((name) => name.endsWith(end))
    .map((name) => name.slice(0, -end.length))

const read = (name: string) =>
  importIni({ name: `${name}.ini`, text: readFileSync(`${folder}/${name}.ini`, 'utf8') })
const load = (name: string, text: string): LoadResult =>
  loadConfig({ files: [{ name: `${name}.yaml`, directory: '/etc/muster', text }], home: '/home/ops' })
const text = (found: Pick<LoadResult, 'diagnostics' | 'sources'>): string =>
  diagnosticsText({ ...found, colour: false, width: 100 })

describe('importing an INI file', () => {
  it.each(named(folder, '.ini'))('gives the expected YAML and findings for %s', async (name) => {
    const { yaml = [], findings, source } = read(name)
    await expect(joinLines(yaml, 'text')).toMatchFileSnapshot(`${folder}/${name}.yaml`)
    const about = text({ diagnostics: findings, sources: [source] })
    const then = text(load(name, joinLines(yaml, 'text')))
    await expect(`${about}\n${then}`).toMatchFileSnapshot(`${folder}/${name}.out`)
  })

  it('writes secrets to the file and hides them on the terminal', () => {
    const secrets = ['Qm4v', 'Hc5s-yUq63_fWo', 'Lw9d', 'Ge2n', 'Vd7h', 'Aa1-first', '$#%:@']
    const all = named(folder, '.ini').map(read)
    const shown = all.map(({ yaml = [] }) => joinLines(yaml, 'shown')).join('')
    const files = all.map(({ yaml = [] }) => joinLines(yaml, 'text')).join('')
    expect(shown).toContain('rest-api-admin-pass: [redacted]')
    for (const secret of secrets) {
      expect(shown).not.toContain(secret)
      expect(files).toContain(secret)
    }
  })

  it('is covered by fixtures for every code of INI findings', () => {
    const imported = named(folder, '.ini').flatMap((name) => read(name).findings)
    const seen = new Set(imported.map(({ code }) => code))
    expect(codesOf('INI files').filter((code) => !seen.has(code))).toEqual([])
  })
})
