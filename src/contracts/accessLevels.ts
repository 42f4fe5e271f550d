/** Access levels of API users, lowest first; each may do everything that the ones before it may. */
export const accessLevels = ['read', 'operate', 'full'] as const

export type AccessLevel = (typeof accessLevels)[number]

/** Returns true if a word names an access level. */
export const isAccessLevel = (word: unknown): word is AccessLevel =>
  (accessLevels as readonly unknown[]).includes(word)

/** Returns true if a user with the level `has` may do what needs the level `needed`. */
export const allows = (has: AccessLevel, needed: AccessLevel): boolean =>
  accessLevels.indexOf(has) >= accessLevels.indexOf(needed)
