import { spellings } from '../settings/setting.ts'
import type { Place } from '../shape/readFields.ts'
import type { JsonSchema } from '../types/type.ts'
import { settingSchema } from './settingSchema.ts'

/** The text that editors show; those that know Markdown prefer the second. */
export const described = (text: string): JsonSchema => ({ description: text, markdownDescription: text })

/** Refuses each spelling of a setting beside any other. */
function onlyOneSpelling(settings: Place['settings']): JsonSchema {
  const refused = [...settings].flatMap(([spelling, setting]) => {
    const others = spellings([setting]).filter((other) => other !== spelling)
    const schema = { properties: Object.fromEntries(others.map((other) => [other, false])) }
    return others.length === 0 ? [] : [[spelling, schema] as const]
  })
  return refused.length === 0 ? {} : { dependentSchemas: Object.fromEntries(refused) }
}

/** What can stand in one group of the file: its settings by every spelling and, by name, the groups inside it. */
export function groupSchema<G extends string>(
  place: Place & { readonly groups: readonly G[] },
  inside: {
    readonly groups: Readonly<Record<G, JsonSchema>>
    /** What a setting has to be beside its type, by its spelling. */
    readonly further?: Readonly<Record<string, JsonSchema>>
  },
): JsonSchema {
  const settings = [...place.settings].map(([spelling, setting]) => {
    const schema = settingSchema(setting, spelling)
    return [spelling, { ...schema, ...inside.further?.[spelling] }] as const
  })
  return {
    properties: { ...Object.fromEntries(settings), ...inside.groups },
    additionalProperties: false,
    ...onlyOneSpelling(place.settings),
  }
}
