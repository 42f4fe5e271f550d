import { homedir } from 'node:os'
import { shortListOf } from '../../base/words.ts'
import type { CommandContext } from '../../cli/context.ts'
import { readConfigFiles } from '../../cli/readConfigFiles.ts'
import { UsageError } from '../../cli/usageError.ts'
import { chooseHosts } from '../../config/describe/chooseHosts.ts'

import { type Inventory, isProblem } from '../../config/inventory/inventory.ts'
import { outlineInventory } from '../../config/inventory/outlineInventory.ts'
import { readInventory } from '../../config/inventory/readInventory.ts'
import { loadConfig } from '../../config/load.ts'
import { outlineText } from '../../output/config/outlineText.ts'

type Options = {
  /** As the user typed it; - is standard input. */
  readonly file: string
  /** Patterns of names of hosts and groups; all hosts where there is none. */
  readonly limit: readonly string[]
  readonly user?: string
  readonly cluster?: string
  readonly databases?: 'mariadb' | 'mysql'
}

/** Keeps the hosts that a pattern names, by their name or by a group of theirs. Throws a `UsageError`. */
function limitHosts({ hosts, ...inventory }: Inventory, limit: readonly string[]): Inventory {
  const patterns = limit.flatMap((list) => list.split(',')).filter((pattern) => pattern !== '')
  const names = [...new Set(hosts.flatMap(({ name, groups }) => [name, ...groups]))]
  const matched = (chosen: readonly string[]): ReadonlySet<string> => {
    const { names: found, unmatched } = chooseHosts(chosen, names)
    const [unknown] = unmatched
    if (unknown === undefined) return found
    const near = unknown.nearest === undefined ? '' : `Did you mean ${unknown.nearest}? `
    throw new UsageError(
      `no host or group of the inventory matches '${unknown.pattern}'`,
      `${near}It has ${shortListOf(names, 8)}.`,
    )
  }
  const choosing = patterns.filter((pattern) => !pattern.startsWith('!'))
  const excluding = patterns.flatMap((pattern) => (pattern.startsWith('!') ? [pattern.slice(1)] : []))
  const included = choosing.length === 0 ? new Set(names) : matched(choosing)
  const excluded = excluding.length === 0 ? new Set<string>() : matched(excluding)
  const isNamed = (keys: readonly string[], by: ReadonlySet<string>): boolean =>
    keys.some((key) => by.has(key))
  const chosen = hosts.filter(({ name, groups }) => {
    const keys = [name, ...groups]
    return isNamed(keys, included) && !isNamed(keys, excluded)
  })
  if (chosen.length > 0) return { ...inventory, hosts: chosen }
  throw new UsageError('--limit excludes every host of the inventory.', `It has ${shortListOf(names, 8)}.`)
}

/** Makes a file of the hosts of an inventory. Rejects with a `UsageError` that says why it cannot be one. */
export async function fileFromInventory(context: CommandContext, options: Options): Promise<string> {
  const { file, limit, cluster = 'alpha', user, databases } = options
  const { cwd, stdin, signal } = context
  const { files, diagnostics } = await readConfigFiles({ paths: [file], cwd, stdin, signal })
  const [source] = files
  if (source === undefined) {
    const [finding] = diagnostics
    throw new UsageError(finding?.message ?? `${file} cannot be read.`, finding?.fix ?? 'Check the path.')
  }
  const inventory = readInventory(source.text)
  if (isProblem(inventory)) throw new UsageError(`${source.name}: ${inventory.message}`, inventory.fix)
  const outline = outlineInventory(limitHosts(inventory, limit), {
    source: source.name,
    cluster,
    ...(user !== undefined && { user }),
    ...(databases !== undefined && { databases }),
  })
  if (isProblem(outline)) throw new UsageError(`${source.name}: ${outline.message}`, outline.fix)
  const text = `# yaml-language-server: $schema=./muster.schema.json\n${outlineText(outline)}`
  const { diagnostics: found } = loadConfig({
    files: [{ name: 'muster.yaml', directory: cwd, text }],
    home: context.env.HOME ?? homedir(),
  })
  const error = found.find(({ severity }) => severity === 'error')
  if (error !== undefined) throw new UsageError(error.message, error.fix)
  return text
}
