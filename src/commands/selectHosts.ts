import type { ClusterConfig } from '../config/model.ts'
import { shortListOf } from '../diagnostics/words.ts'
import { UsageError } from './usageError.ts'

/**
 * The hosts that --host means, in the order of the file; all without it. A pattern is a name in which `*` stands
 * for any characters and `?` for one. Throws a `UsageError` for a pattern that means no host.
 */
export function selectHosts(config: ClusterConfig, patterns: readonly string[]): ClusterConfig['hosts'] {
  if (patterns.length === 0) return config.hosts
  const globs = patterns.map((pattern) => ({ pattern, means: globOf(pattern) }))
  const vain = globs.find(({ means }) => !config.hosts.some(({ name }) => means.test(name)))
  if (vain !== undefined) {
    const names = shortListOf(
      config.hosts.map(({ name }) => name),
      8,
    )
    throw new UsageError(
      `--host ${vain.pattern} means no host of ${config.cluster}.`,
      `The file has ${names}; \`*\` stands for any characters, such as in --host 'db*'.`,
    )
  }
  return config.hosts.filter(({ name }) => globs.some(({ means }) => means.test(name)))
}

function globOf(pattern: string): RegExp {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.')
  return new RegExp(`^${source}$`, 'i')
}
