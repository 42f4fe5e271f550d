import type { InstallationFacts } from '../facts/model.ts'

const began = 'rolling back to '

/** What stands for a component's digest from the begin of a rollback until its start in the older release. */
export const rollingBack = (release: string): string => `${began}${release}`

/** What stands there once it has started: never the digest of an installation, which so restarts it. */
export const rolledBack = (release: string): string => `rolled back to ${release}`

/** The release that a rollback which did not come to its end was going to. */
export const unfinishedRollback = ({ applied }: InstallationFacts): string | undefined =>
  [...applied.values()]
    .find((text) => text.startsWith(began))
    ?.slice(began.length)
    .trim()
