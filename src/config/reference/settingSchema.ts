import type { Setting } from '../settings/setting.ts'
import type { JsonSchema, Plain } from '../types/type.ts'
import { parseYaml, type RawNode } from '../yaml.ts'
import { componentRemark, defaultText } from './settingWords.ts'

/** How a piece of the file is shown: as it is, or between backticks. */
type Quote = (code: string) => string

const plainly: Quote = (code) => code
const marked: Quote = (code) => `\`${code}\``

function description(setting: Setting<unknown>, spelling: string, quote: Quote): string {
  const { name, documentation, type, secret } = setting
  const standard = defaultText(setting)
  return [
    ...(spelling === name ? [] : [`Another spelling of ${quote(name)}.`]),
    documentation,
    `Value: ${type.wants}.`,
    ...(standard === undefined ? [] : [`Default: ${quote(standard)}.`]),
    ...(secret ? ['A secret: it is never shown.'] : []),
    ...componentRemark(setting),
  ].join('\n\n')
}

function plain(node: RawNode | undefined): Plain {
  if (node?.kind === 'list') return node.items.map(plain)
  return node?.kind === 'scalar' ? (node.value as Plain) : null
}

/** The example, where it says more than the default and the choices do. */
function exampleOf({ type, secret }: Setting<unknown>): Plain | undefined {
  // What stands behind !env is no value, and JSON has no tags: the description tells of them.
  if (secret || type.schema.enum !== undefined || type.schema.type === 'boolean') return undefined
  const parsed = parseYaml(type.example, 4)
  return plain(parsed.tooDeep === undefined ? parsed.roots[0]?.node : undefined)
}

/** The schema of a setting under one of its spellings, with all that an editor can show of it. */
export function settingSchema(setting: Setting<unknown>, spelling: string): JsonSchema {
  const { type, default: value } = setting
  const standard = value === undefined ? undefined : type.write(value)
  const example = exampleOf(setting)
  return {
    title: spelling,
    description: description(setting, spelling, plainly),
    markdownDescription: description(setting, spelling, marked),
    ...type.schema,
    ...(standard === undefined ? {} : { default: standard }),
    ...(example === undefined || example === standard ? {} : { examples: [example] }),
    errorMessage: `${spelling} wants ${type.wants}.`,
  }
}
