import groups from './codes.json' with { type: 'json' }
import type { Severity } from './diagnostic.ts'

/** Title of a group of findings, as their pages in docs/findings say. */
type Group = keyof typeof groups

/** Code of a finding: the name of its page. */
export type Code = { [G in Group]: keyof (typeof groups)[G] }[Group]

/** Severities of all findings; `.ci/pages.js` admits no other. */
export const severities: Readonly<Record<Code, Severity>> = Object.assign({}, ...Object.values(groups))

export const isCode = (word: string): word is Code => Object.hasOwn(severities, word)

/** Returns the codes of a group in its order. */
export const codesOf = (group: Group): readonly Code[] => Object.keys(groups[group]).filter(isCode)

/** Codes by group, in the order of the list. */
export const findingGroups: readonly { readonly title: string; readonly codes: readonly Code[] }[] =
  Object.entries(groups).map(([title, codes]) => ({ title, codes: Object.keys(codes).filter(isCode) }))
