import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { loadText } from '../loadText.ts'
import { configurations } from './configurations.ts'
import { meaning, throughIni, toIni, toYaml } from './meaning.ts'
import { examples, iniTexts } from './texts.ts'

describe('a configuration that is written as INI and read again', () => {
  it('says the same, secrets byte for byte', () => {
    let good = 0
    fc.assert(
      fc.property(configurations, (yaml) => {
        const before = loadText(yaml)
        if (before.config === undefined) return
        good += 1
        expect(meaning(throughIni(before))).toEqual(meaning(before))
      }),
      { numRuns: 200 },
    )
    expect(good).toBeGreaterThan(100)
  }, 60_000)
})

describe('an INI file that is read, written and read again', () => {
  const holds = (ini: string): boolean => {
    const before = loadText(toYaml(ini))
    if (before.config === undefined) return false
    expect(meaning(loadText(toYaml(toIni(before))))).toEqual(meaning(before))
    return true
  }

  it('says the same, when it is one of ours', () => {
    expect(examples.filter(holds).length).toBeGreaterThan(2)
  })

  it('says the same of a host that is named by its address and has no service', () => {
    const alpha = '[alpha]\ntopology=clustered\nmaster=db1\nmembers=db1\n'
    expect(holds(`${alpha}[defaults]\nrest-api-admin-user=admin\n[alpha]\nrelay=db1,::1\n`)).toBe(true)
  })

  it('says the same, whatever made a good file of it', () => {
    let good = 0
    const complete =
      '[alpha]\ntopology=clustered\nmaster=db1\nmembers=db1,db2,db3\n[defaults]\nrest-api-admin-user=admin\n'
    fc.assert(
      fc.property(iniTexts, fc.boolean(), (text, before) => {
        // Most random files lack a service; one that is complete takes what the random part adds.
        if (holds(before ? `${text}\n${complete}` : complete + text)) good += 1
      }),
      { numRuns: 400 },
    )
    expect(good).toBeGreaterThan(20)
  }, 60_000)
})
