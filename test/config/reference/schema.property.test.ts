import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readDocument } from '../../../src/config/document/readDocument.ts'
import type { Setting } from '../../../src/config/settings/setting.ts'
import { places } from '../../../src/config/shape/places.ts'
import { readDraft } from '../../../src/config/shape/readDraft.ts'
import { propertyRuns } from '../../support/propertyRuns.ts'
import { refusals } from './refusals.ts'

/** Returns true if muster finds no error in the shape of a text; rules about the whole file are not applied. */
function wellShaped(text: string): boolean {
  const names = {
    isSecret: () => false,
    isRecognized: () => false,
    isUserMap: () => false,
    isWebhooks: () => false,
    isKnown: () => true,
  }
  const { root, findings } = readDocument({ name: 'muster.yaml', text }, names)
  if (root === undefined) return false
  return [...findings, ...readDraft(root).findings].every(({ severity }) => severity !== 'error')
}

/** Values as a file may have them, most of them wrong for most settings. */
const anyValue = fc.constantFrom(
  ...['0', '1', '22', '8090', '8090.0', '0x1F90', '1e3', '-1', '65535', '65536', '3650', '1.5', '.inf'],
  ...['true', 'false', 'yes', 'null', '""', "' '", 'x', 'db1', 'ops', '"8090"', '"true"', 'Ops', 'über'],
  ...['0.0.0.0', '"::"', '"::1"', '10.0.0.11', 'db1.example.org', '"host:/etc/store"', '~/.ssh/id'],
  ...['0s', '500ms', '30s', '5m', '25m', '1h', 'info', 'auto', 'systemd', 'local', 'clustered', 'mysql'],
  ...['[]', '[db1]', '[db1, 10.0.0.11]', '[1]', '[true]', '[[]]', '{}', '{ a: 1 }', '2026-01-01'],
  ...['!env A', '!env true', '!env A-B', '!file 2026', '!file x', '!exec [a, 1, true]', '!exec [a, [b]]'],
  ...[
    '!exec []',
    '!exec a',
    'bastion:22',
    'ops@bastion',
    'SHA256:nThbg6kXUpJWGl7E1IGOCspRomTxdCARLviKw6E5SY8',
  ],
)

/** Mostly what a setting takes, so that many of the texts are good ones. */
const valueFor = ({ type }: Setting<unknown>): fc.Arbitrary<string> =>
  fc.oneof({ weight: 8, arbitrary: fc.constant(type.example) }, { weight: 1, arbitrary: anyValue })

type Settings = ReadonlyMap<string, Setting<unknown>>

/** Some settings of a place as the inside of a one-line group. */
function someOf(settings: Settings, except: readonly string[] = []): fc.Arbitrary<string> {
  const entries = [...settings]
    .filter(([spelling]) => !except.includes(spelling))
    .map(([spelling, setting]) => valueFor(setting).map((value) => `${spelling}: ${value}`))
  return fc
    .subarray(entries, { maxLength: Math.min(3, entries.length) })
    .chain((chosen) => fc.tuple(...chosen))
    .map((chosen) => chosen.join(', '))
}

const { defaults, options, ssh, service, host } = places

const file = fc
  .record({
    defaults: someOf(defaults.settings),
    ssh: someOf(ssh.settings),
    service: someOf(service.settings, ['topology', 'members']),
    serviceOptions: someOf(options.settings),
    host: someOf(host.settings),
    hostSsh: someOf(ssh.settings),
    hostOptions: someOf(options.settings),
  })
  .map((parts) => {
    const inside = (group: string): string => (group === '' ? '' : `${group}, `)
    return `cluster: alpha
defaults: &shared { ${parts.defaults} }
ssh: { ${parts.ssh} }
services:
  alpha: { ${inside(parts.service)}topology: clustered, members: [db1], options: { ${parts.serviceOptions} } }
hosts:
  db1: { ${inside(parts.host)}ssh: { ${parts.hostSsh} }, options: { <<: *shared, ${parts.hostOptions} } }
`
  })

describe('the JSON Schema of the configuration file', () => {
  it('accepts every file that muster accepts', () => {
    let taken = 0
    const runs = propertyRuns(1500)
    fc.assert(
      fc.property(file, (text) => {
        if (!wellShaped(text)) return
        taken += 1
        expect(refusals(text), text).toEqual([])
      }),
      { numRuns: runs },
    )
    expect(taken).toBeGreaterThan(runs / 10)
  })
})
