import { nearest } from '../../diagnostics/nearest.ts'
import { isKnownName } from '../knownNames.ts'
import { spellings } from '../settings/setting.ts'
import { places } from '../shape/places.ts'
import { allSettings } from './meaning.ts'

const groups = [...new Set(Object.values(places).flatMap((place): readonly string[] => place.groups))]

const everything = [...spellings(allSettings), ...groups]

/** Whether the product gives the name its meaning: a setting or a group. */
export const isOurs = (name: string): boolean => isKnownName(name) || groups.includes(name)

/** Whether a name is probably one of ours, misspelt. */
export const isNearlyOurs = (name: string): boolean => nearest(name, everything) !== undefined

/** Whether a name has the form of an option's. */
export const isOptionLike = (name: string): boolean => /^[A-Za-z][\w-]{0,59}$/.test(name)

/** Whether a text is a part of our own names, so that it tells nothing where it stands in another. */
export const isPartOfOurs = (text: string): boolean => everything.some((name) => name.includes(text))
