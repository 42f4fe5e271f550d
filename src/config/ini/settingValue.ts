import { redacted } from '../../diagnostics/source.ts'
import { options } from '../settings/options.ts'
import type { Setting } from '../settings/setting.ts'
import type { CommentUser, CommentValue } from './musterComment.ts'
import { publicLine, type TextLine } from './readIni.ts'
import { quotedScalar, yamlList, yamlScalar } from './writeYaml.ts'

/** Words for yes and no that tpm accepts (property_validator.rb). */
const booleans: ReadonlyMap<string, string> = new Map([
  ...['true', 'y', 'yes'].map((word) => [word, 'true'] as const),
  ...['false', 'n', 'no'].map((word) => [word, 'false'] as const),
])

const stores: readonly Setting<unknown>[] = [options.keystorePath, options.truststorePath]

/** Returns true for store paths: in an INI file they are on the host, in muster on this machine. */
export const isStorePath = (setting: Setting<unknown>): boolean => stores.includes(setting)

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

/** Writes users on one line; one literal secret hides them all. */
function usersLine(users: readonly CommentUser[]): TextLine | undefined {
  const lines = users.map(({ name, access, value }) => {
    const secret = value === undefined ? publicLine('null') : valueFromComment(options.adminPass, value)
    if (secret === undefined) return undefined
    const user = access === 'full' ? secret.text : `{ access: ${access}, password: ${secret.text} }`
    return { text: `${quotedScalar(name)}: ${user}`, secret: secret.text !== secret.shown }
  })
  const known = lines.filter((line) => line !== undefined)
  if (known.length < lines.length) return undefined
  const text = `{ ${known.map((line) => line.text).join(', ')} }`
  return known.some(({ secret }) => secret) ? { text, shown: redacted } : publicLine(text)
}

/** Converts the value of a muster comment for the YAML file; undefined if the setting cannot have it. */
export function valueFromComment(setting: Setting<unknown>, value: CommentValue): TextLine | undefined {
  if (setting === options.users) return value.kind === 'users' ? usersLine(value.users) : undefined
  if (value.kind === 'users') return undefined
  if (value.kind === 'list') return setting.secret ? undefined : publicLine(yamlList(value.items))
  if (value.kind === 'text') {
    if (setting.secret) return { text: quotedScalar(value.text), shown: redacted }
    return publicLine(fromText(setting, value.text))
  }
  if (!setting.secret && setting.type.tags?.includes(value.kind) !== true) return undefined
  if (value.kind === 'exec') return publicLine(`!exec ${yamlList(value.items)}`)
  return publicLine(`!${value.kind} ${yamlScalar(value.text)}`)
}
