import { sha256 } from '../base/sha256.ts'
import { UsageError } from '../cli/usageError.ts'

/** One of `count` parts of the hosts, from 1 on. */
export type Shard = { readonly index: number; readonly count: number }

const maxShards = 1000

/** Parses `K/N`. Throws a `UsageError`. */
export function parseShard(text: string): Shard {
  const [index = 0, count = 0] = /^\d{1,4}\/\d{1,4}$/.test(text) ? text.split('/').map(Number) : []
  if (index >= 1 && index <= count && count <= maxShards) return { index, count }
  throw new UsageError(
    `--shard ${text} is not a part K/N with K from 1 to N and N at most ${maxShards}.`,
    'Use for example --shard 2/5 for the second of five parts.',
  )
}

export const shardText = ({ index, count }: Shard): string => `${index}/${count}`

/**
 * Returns true for a host of the shard. Only its name decides, on every machine and in every version of muster alike, so
 * that a host stays where it is when others are added.
 */
export const isInShard = (name: string, { index, count }: Shard): boolean =>
  Number.parseInt(sha256(name).slice(0, 8), 16) % count === index - 1
