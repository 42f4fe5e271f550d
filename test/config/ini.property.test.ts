import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { propertyRuns } from '../support/propertyRuns.ts'
import { configurations } from './ini/configurations.ts'
import { meaning, throughIni, toIni, toYaml } from './ini/meaning.ts'
import { examples, iniTexts } from './ini/texts.ts'
import { loadText } from './loadText.ts'

describe('exporting a configuration and importing it', () => {
  it('gives the same configuration, with secrets byte for byte', () => {
    let good = 0
    const runs = propertyRuns(200)
    fc.assert(
      fc.property(configurations, (yaml) => {
        const before = loadText(yaml)
        if (before.config === undefined) return
        good += 1
        expect(meaning(throughIni(before))).toEqual(meaning(before))
      }),
      { numRuns: runs },
    )
    expect(good).toBeGreaterThan(runs / 8)
  }, 60_000)
})

describe('importing an INI file, exporting and importing it again', () => {
  const isUnchanged = (ini: string): boolean => {
    const before = loadText(toYaml(ini))
    if (before.config === undefined) return false
    expect(meaning(loadText(toYaml(toIni(before))))).toEqual(meaning(before))
    return true
  }

  it('gives the same configuration for every example', () => {
    expect(examples.filter(isUnchanged).length).toBeGreaterThan(2)
  })

  it('gives the same configuration for a host without a service that is named by its address', () => {
    const alpha = '[alpha]\ntopology=clustered\nmaster=db1\nmembers=db1\n'
    expect(isUnchanged(`${alpha}[defaults]\nrest-api-admin-user=admin\n[alpha]\nrelay=db1,::1\n`)).toBe(true)
  })

  it('gives the same configuration for any valid file', () => {
    let good = 0
    const runs = propertyRuns(400)
    const complete =
      '[alpha]\ntopology=clustered\nmaster=db1\nmembers=db1,db2,db3\n[defaults]\nrest-api-admin-user=admin\n'
    fc.assert(
      fc.property(iniTexts, fc.boolean(), (text, before) => {
        // Most random files lack a service; one that is complete takes what the random part adds.
        if (isUnchanged(before ? `${text}\n${complete}` : complete + text)) good += 1
      }),
      { numRuns: runs },
    )
    expect(good).toBeGreaterThan(runs / 20)
  }, 60_000)
})
