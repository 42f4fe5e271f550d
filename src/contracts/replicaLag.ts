/** Seconds that a replica may be behind without a word about it, where `max-replica-lag` is not set. */
export const defaultMaxLag = 30

/** Sentences of a manager about a replica that is late; the numbers of each check would be changes without end. */
export const lateReasons = {
  unread: 'It is further behind than max-replica-lag and takes no reads.',
  read: `It is more than ${defaultMaxLag} s behind.`,
} as const

const known: ReadonlySet<string | null> = new Set(Object.values(lateReasons))

/** Returns true for the reason of a replica of which nothing else is known than that it is late. */
export const isLateReason = (reason: string | null): boolean => known.has(reason)
