import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { type LoadResult, loadConfig } from '../../src/config/load.ts'
import { reasonCodes } from '../../src/contracts/routing.ts'
import { severities } from '../../src/diagnostics/codes.ts'
import { certificateEntries } from '../../src/diagnostics/entries/certificates.ts'
import { hostUserEntries } from '../../src/diagnostics/entries/hostUsers.ts'
import { iniEntries } from '../../src/diagnostics/entries/ini.ts'
import { storeContentEntries } from '../../src/diagnostics/entries/storeContents.ts'
import { diagnosticsText } from '../../src/output/diagnostics/text.ts'
import { withoutSilenced } from '../../src/session/withoutSilenced.ts'
import { driftCodes } from '../support/driftCodes.ts'
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

/** Codes that need more than one text: bytes, several files, a command line. Other tests cover them. */
const coveredElsewhere = [
  ...driftCodes,
  'file-not-found',
  'file-is-directory',
  'file-unreadable',
  'file-too-large',
  'file-not-utf8',
  'stdin-twice',
  'set-not-assignment',
  'set-secret-literal',
  'nul-character',
  'too-deep',
  'alias-bomb',
  'too-many-findings',
  'secret-not-resolved',
  'secret-unreadable',
  'plaintext-secret-tracked',
  'hook-not-runnable',
  ...Object.keys(certificateEntries),
  ...Object.keys(storeContentEntries),
  ...Object.keys(hostUserEntries),
  ...Object.keys(iniEntries),
  // Found by managers in databases.
  ...reasonCodes,
]

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

  it('covers every code of the catalogue', () => {
    const seen = new Set(names.flatMap((name) => load(name).diagnostics.map(({ code }) => code)))
    const missing = Object.keys(severities).filter(
      (code) => !seen.has(code) && !coveredElsewhere.includes(code),
    )
    expect(missing).toEqual([])
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
