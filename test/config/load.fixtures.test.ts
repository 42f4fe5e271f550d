import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { type LoadResult, loadConfig } from '../../src/config/load.ts'
import { codesOf, isCode, severities } from '../../src/diagnostics/codes.ts'
import { explanationOf } from '../../src/diagnostics/explanation.ts'
import { diagnosticsText } from '../../src/output/diagnostics/text.ts'
import { withoutSilenced } from '../../src/session/withoutSilenced.ts'
import { withoutDefault } from '../support/withoutDefault.ts'

const folder = fileURLToPath(new URL('../fixtures/config', import.meta.url))
const names = readdirSync(folder)
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => name.slice(0, -'.yaml'.length))

function load(name: string): LoadResult & { readonly silenced: number } {
  const loaded = loadConfig({
    files: [
      {
        name: `${name}.yaml`,
        directory: '/etc/muster',
        text: readFileSync(`${folder}/${name}.yaml`, 'utf8'),
      },
    ],
    home: '/home/ops',
    exists: () => name !== 'stores',
  })
  const options = { findings: loaded.diagnostics }
  const { findings, silenced } = withoutSilenced({ ...loaded, combined: false }, options)
  return { ...loaded, diagnostics: findings, silenced: silenced.length }
}

describe('loading a fixture', () => {
  it.each(names)('gives the expected findings for %s', async (name) => {
    const result = load(name)
    const text = diagnosticsText({ ...result, colour: false, width: 100 })
    await expect(text).toMatchFileSnapshot(`${folder}/${name}.out`)
    expect(text).not.toMatch(/hunter2|not shown/)
    const expected = `${folder}/${name}.config.json`
    if (existsSync(expected) || name === 'overrides') {
      await expect(`${JSON.stringify(result.config, withoutDefault, 2)}\n`).toMatchFileSnapshot(expected)
    }
  })

  it('covers every code with an example, except those of INI files', () => {
    const seen = new Set(names.flatMap((name) => load(name).diagnostics.map(({ code }) => code)))
    const ofIni = codesOf('INI files')
    const shown = Object.keys(severities)
      .filter(isCode)
      .filter((code) => explanationOf(code).bad !== undefined && !ofIni.includes(code))
    expect(shown.length).toBeGreaterThan(60)
    expect(shown.filter((code) => !seen.has(code))).toEqual([])
  })

  it('reports each of twelve mistakes once', () => {
    const { diagnostics, config } = load('twelve-mistakes')
    expect(config).toBeUndefined()
    expect(diagnostics.map(({ span, code }) => `${span.line} ${code}`)).toEqual([
      '3 unknown-option',
      '4 wrong-type',
      '5 network-address',
      '6 open-without-admin',
      '8 duplicate-key',
      '10 missing-unit',
      '14 master-not-member',
      '15 even-managers',
      '15 unknown-host',
      '19 duplicate-address',
      '20 port-clash',
      '21 unused-host',
    ])
  })
})
