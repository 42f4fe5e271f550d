import { UsageError } from '../../cli/usageError.ts'
import { isGenerated } from '../../deployment/desired/stores.ts'
import { shortListOf } from '../../diagnostics/words.ts'
import { namesOf, type SelectedCluster } from '../../session/selectTargets.ts'

/** The hosts whose certificates muster makes, and what there is to say of the others. Throws a `UsageError` for none. */
export function withoutBrought(
  config: SelectedCluster,
  words: {
    /** The verb of the command. */
    readonly what: string
    /** What does not happen to those keystores. */
    readonly rule: string
  },
): { readonly config: SelectedCluster; readonly notes: readonly string[] } {
  const brought = config.hosts.filter((host) => !isGenerated(host))
  const hosts = config.hosts.filter(isGenerated)
  if (brought.length === 0) return { config, notes: [] }
  const names = shortListOf(namesOf(brought), 8)
  const are = brought.length === 1 ? 'uses a keystore' : 'use keystores'
  const note = `${names} ${are} of your own (java-tls-keystore-path), ${words.rule}`
  if (hosts.length === 0) {
    throw new UsageError(
      `There is nothing to ${words.what}: ${note}.`,
      'Put a new keystore in its place, then run `muster install`: nothing is restarted for it.',
    )
  }
  return { config: { ...config, hosts, left: [...config.left, ...brought] }, notes: [note] }
}
