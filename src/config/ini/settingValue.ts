import { redacted } from '../../diagnostics/source.ts'
import { options } from '../settings/options.ts'
import type { Setting } from '../settings/setting.ts'
import { publicLine, type TextLine } from './readIni.ts'
import { quotedScalar, yamlList, yamlScalar } from './writeYaml.ts'

/** Words for yes and no that tpm accepts (property_validator.rb). */
const booleans: ReadonlyMap<string, string> = new Map([
  ...['true', 'y', 'yes'].map((word) => [word, 'true'] as const),
  ...['false', 'n', 'no'].map((word) => [word, 'false'] as const),
])

const stores: readonly Setting<unknown>[] = [options.keystorePath, options.truststorePath]

/** Returns true for store paths: in an INI file they are on the host, in muster on this machine. */
const isStorePath = (setting: Setting<unknown>): boolean => stores.includes(setting)

const listOf = (text: string): readonly string[] =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')

function fromText(setting: Setting<unknown>, text: string): string {
  switch (setting.type.schema.type) {
    case 'boolean':
      return booleans.get(text.toLowerCase()) ?? quotedScalar(text)
    case 'integer':
      return /^\d{1,15}$/.test(text) ? String(Number(text)) : quotedScalar(text)
    case 'array':
      return yamlList(listOf(text))
    default:
      return yamlScalar(text)
  }
}

/** Converts the value of an INI option for the YAML file. */
export function valueFromIni(setting: Setting<unknown>, text: string): TextLine {
  if (setting.secret) return { text: quotedScalar(text), shown: redacted }
  if (isStorePath(setting) && !text.startsWith('host:')) return publicLine(yamlScalar(`host:${text}`))
  return publicLine(fromText(setting, text))
}
