import { type Setting, spellings } from '../settings/setting.ts'
import { places } from '../shape/places.ts'
import type { Place } from '../shape/readFields.ts'
import type { JsonSchema, Plain } from '../types/type.ts'
import { parseYaml, type RawNode } from '../yaml.ts'
import { groupDescriptions, requiredNames } from './groups.ts'
import { componentNote, defaultText } from './settingNotes.ts'

/** Writes code in a description: plain or in backquotes. */
type Quote = (code: string) => string

const asPlainText: Quote = (code) => code
const asMarkdown: Quote = (code) => `\`${code}\``

function description(setting: Setting<unknown>, spelling: string, quote: Quote): string {
  const { name, documentation, type, secret } = setting
  const standard = defaultText(setting)
  return [
    ...(spelling === name ? [] : [`Another spelling of ${quote(name)}.`]),
    documentation,
    `Value: ${type.wants}.`,
    ...(standard === undefined ? [] : [`Default: ${quote(standard)}.`]),
    ...(secret ? ['A secret: it is never shown.'] : []),
    ...componentNote(setting),
  ].join('\n\n')
}

function plain(node: RawNode | undefined): Plain {
  if (node?.kind === 'list') return node.items.map(plain)
  return node?.kind === 'scalar' ? (node.value as Plain) : null
}

/** Returns the example if it adds to the default and the choices. */
function exampleOf({ type, secret }: Setting<unknown>): Plain | undefined {
  // Text after !env is no value, and JSON has no tags: the description explains them.
  if (secret || type.schema.enum !== undefined || type.schema.type === 'boolean') return undefined
  const parsed = parseYaml(type.example, 4)
  return plain(parsed.tooDeep === undefined ? parsed.roots[0]?.node : undefined)
}

/** Builds the schema of a setting in one spelling, with its documentation for editors. */
function settingSchema(setting: Setting<unknown>, spelling: string): JsonSchema {
  const { type, default: value } = setting
  const standard = value === undefined ? undefined : type.write(value)
  const example = exampleOf(setting)
  return {
    title: spelling,
    description: description(setting, spelling, asPlainText),
    markdownDescription: description(setting, spelling, asMarkdown),
    ...type.schema,
    ...(standard === undefined ? {} : { default: standard }),
    ...(example === undefined || example === standard ? {} : { examples: [example] }),
    errorMessage: `${spelling} must be ${type.wants}.`,
  }
}

/** Describes for editors; those that support Markdown prefer the second. */
const described = (text: string): JsonSchema => ({ description: text, markdownDescription: text })

/** Forbids two spellings of one setting. */
function onlyOneSpelling(settings: Place['settings']): JsonSchema {
  const refused = [...settings].flatMap(([spelling, setting]) => {
    const others = spellings([setting]).filter((other) => other !== spelling)
    const schema = { properties: Object.fromEntries(others.map((other) => [other, false])) }
    return others.length === 0 ? [] : [[spelling, schema] as const]
  })
  return refused.length === 0 ? {} : { dependentSchemas: Object.fromEntries(refused) }
}

/** Builds the schema of one group: its settings in every spelling and, by name, its subgroups. */
function groupSchema<G extends string>(
  place: Place & { readonly groups: readonly G[] },
  inside: {
    readonly groups: Readonly<Record<G, JsonSchema>>
    /** Further restrictions of a setting, by spelling. */
    readonly further?: Readonly<Record<string, JsonSchema>>
  },
): JsonSchema {
  const settings = [...place.settings].map(([spelling, setting]) => {
    const schema = settingSchema(setting, spelling)
    return [spelling, { ...schema, ...inside.further?.[spelling] }] as const
  })
  return {
    properties: { ...Object.fromEntries(settings), ...inside.groups },
    ...(place.hasExtensions ? { patternProperties: { '^x-': true } } : {}),
    additionalProperties: false,
    ...onlyOneSpelling(place.settings),
  }
}

/** Identifies this schema; it is no URL. */
export const schemaId = 'urn:muster:configuration'

/** A group may be empty if nothing in it is required. */
const mayBeEmpty = { type: ['object', 'null'] } as const

/** References the group `name` with the definition `definition`. */
const refer = (
  name: keyof typeof groupDescriptions & string,
  definition: string,
  title: string = name,
): JsonSchema => ({
  title,
  ...described(groupDescriptions[name]),
  // With a bare $ref the YAML language server would write every default of the group into the file at once.
  ...mayBeEmpty,
  allOf: [{ $ref: `#/$defs/${definition}` }],
})

const byName = (name: 'services' | 'hosts', definition: string): JsonSchema => ({
  title: name,
  ...described(groupDescriptions[name]),
  type: 'object',
  minProperties: 1,
  // Looser than the program, which knows every rule of a host's name.
  propertyNames: {
    pattern: '^[A-Za-z0-9.-]+$',
    errorMessage: 'A name may contain only letters, digits, hyphens and dots.',
  },
  additionalProperties: { $ref: `#/$defs/${definition}` },
})

const definitions = (): JsonSchema => ({
  options: { ...mayBeEmpty, ...groupSchema(places.options, { groups: {} }) },
  ssh: { ...mayBeEmpty, ...groupSchema(places.ssh, { groups: {} }) },
  hooks: { ...mayBeEmpty, ...groupSchema(places.hooks, { groups: {} }) },
  service: {
    title: 'service',
    ...described(groupDescriptions.service),
    type: 'object',
    ...groupSchema(places.service, {
      groups: { options: refer('options', 'options') },
      further: { members: { minItems: 1 } },
    }),
    required: requiredNames.service,
  },
  host: {
    title: 'host',
    ...described(groupDescriptions.host),
    ...mayBeEmpty,
    ...groupSchema(places.host, {
      groups: { ssh: refer('hostSsh', 'ssh', 'ssh'), options: refer('options', 'options') },
    }),
  },
})

const note =
  'A file that overrides another may omit required names. ' +
  'Configure the tags in the editor: text follows !env and !file, a list follows !exec. ' +
  '`muster validate` checks much more than a schema can.'

/** Builds the JSON Schema (2020-12) of a configuration file from the settings table. */
export function configSchema(): JsonSchema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: schemaId,
    title: 'Configuration of muster',
    ...described(`${groupDescriptions.file}\n\n${note}`),
    type: 'object',
    ...groupSchema(places.file, {
      groups: {
        defaults: refer('defaults', 'options'),
        ssh: refer('ssh', 'ssh'),
        hooks: refer('hooks', 'hooks'),
        services: byName('services', 'service'),
        hosts: byName('hosts', 'host'),
      },
    }),
    required: requiredNames.file,
    $defs: definitions(),
  }
}

/** Writes the schema file for editors. */
export const schemaText = (): string => `${JSON.stringify(configSchema(), null, 2)}\n`
