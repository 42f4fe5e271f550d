import { places } from '../shape/places.ts'
import type { JsonSchema } from '../types/type.ts'
import { described, groupSchema } from './groupSchema.ts'
import { groupWords } from './groupWords.ts'
import { requiredNames } from './requiredNames.ts'

/** Names this schema wherever it is stored; no address stands behind it. */
export const schemaId = 'urn:muster:configuration'

/** A group may be left empty where nothing in it is required. */
const mayBeEmpty = { type: ['object', 'null'] } as const

/** The group `name` as the definition `definition` has it. */
const refer = (
  name: keyof typeof groupWords & string,
  definition: string,
  title: string = name,
): JsonSchema => ({
  title,
  ...described(groupWords[name]),
  // With a bare $ref the YAML language server would write every default of the group into the file at once.
  ...mayBeEmpty,
  allOf: [{ $ref: `#/$defs/${definition}` }],
})

const byName = (name: 'services' | 'hosts', definition: string): JsonSchema => ({
  title: name,
  ...described(groupWords[name]),
  type: 'object',
  minProperties: 1,
  // Looser than the program, which knows every rule of a host's name.
  propertyNames: {
    pattern: '^[A-Za-z0-9.-]+$',
    errorMessage: 'A name is made of letters, digits, hyphens and dots.',
  },
  additionalProperties: { $ref: `#/$defs/${definition}` },
})

const definitions = (): JsonSchema => ({
  options: { ...mayBeEmpty, ...groupSchema(places.options, { groups: {} }) },
  ssh: { ...mayBeEmpty, ...groupSchema(places.ssh, { groups: {} }) },
  service: {
    title: 'service',
    ...described(groupWords.service),
    type: 'object',
    ...groupSchema(places.service, {
      groups: { options: refer('options', 'options') },
      further: { members: { minItems: 1 } },
    }),
    required: requiredNames.service,
  },
  host: {
    title: 'host',
    ...described(groupWords.host),
    ...mayBeEmpty,
    ...groupSchema(places.host, {
      groups: { ssh: refer('hostSsh', 'ssh', 'ssh'), options: refer('options', 'options') },
    }),
  },
})

const note =
  'A single file needs what is required; a file that overrides another may omit it. ' +
  'What follows !env or !file is a text, what follows !exec a list: configure these tags in the editor. ' +
  '`muster validate` finds much more than a schema can.'

/** The JSON Schema (2020-12) of a configuration file, made of the settings table. */
export function configSchema(): JsonSchema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: schemaId,
    title: 'Configuration of muster',
    ...described(`${groupWords.file}\n\n${note}`),
    type: 'object',
    ...groupSchema(places.file, {
      groups: {
        defaults: refer('defaults', 'options'),
        ssh: refer('ssh', 'ssh'),
        services: byName('services', 'service'),
        hosts: byName('hosts', 'host'),
      },
    }),
    required: requiredNames.file,
    $defs: definitions(),
  }
}

/** The same as the file that editors read. */
export const schemaText = (): string => `${JSON.stringify(configSchema(), null, 2)}\n`
