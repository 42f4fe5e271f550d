import { accessLevels } from '../../contracts/accessLevels.ts'
import { nearest } from '../../diagnostics/nearest.ts'
import { headerMembers, userMembers, webhookMembers } from '../document/hideSecrets.ts'
import { referenceTags } from '../document/node.ts'
import { isKnownName } from '../knownNames.ts'
import { allHooks } from '../settings/hooks.ts'
import { allOptions } from '../settings/options.ts'
import { allFile, allHost, allService } from '../settings/places.ts'
import { bySpelling } from '../settings/setting.ts'
import { allSsh } from '../settings/ssh.ts'
import { notifyEvents } from '../settings/webhooks.ts'
import { places } from '../shape/places.ts'
import { templateFields } from '../webhookTemplate.ts'

/** Settings of all places by spelling. */
export const settings = bySpelling([
  ...allHost,
  ...allService,
  ...allFile,
  ...allHooks,
  ...allSsh,
  ...allOptions,
])

const groups = Object.values(places).flatMap((place): readonly string[] => place.groups)
const names = [...groups, ...settings.keys()]

const words = new Set<unknown>([
  ...groups,
  ...[...settings.values()].flatMap(({ type }) => (Array.isArray(type.schema.enum) ? type.schema.enum : [])),
  ...referenceTags,
  ...userMembers,
  ...webhookMembers,
  ...headerMembers,
  ...notifyEvents,
  ...templateFields,
  ...accessLevels,
  ...['true', 'false', 'yes', 'no', 'on', 'off', 'null', '~', '<<', 'root', 'localhost', ''],
])

/** Returns true for text that scrubbing writes instead of a secret. */
export const isRedacted = (text: string): boolean => /^\[redacted\](?:-\d+|[a-z\d])?$/.test(text)

/** Returns true for public text: a name or a choice of ours, or a boolean. */
export const isKeyword = (text: string): boolean => words.has(text) || isKnownName(text) || isRedacted(text)

/** Returns true for a number and a duration. */
export const isNumeric = (text: string): boolean => /^\d+(?:ms|s|m)?$/.test(text)

/** Returns true for a name of ours, also if misspelt. */
export const isNearlyKeyword = (name: string): boolean =>
  isKeyword(name) || nearest(name, names) !== undefined
