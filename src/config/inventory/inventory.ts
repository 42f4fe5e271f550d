/** How a host is reached, as far as its inventory says. */
export type InventorySsh = {
  readonly user?: string
  readonly port?: number
  readonly identity?: string
  readonly jump?: string
  readonly become?: boolean
}

export type InventoryHost = {
  /** As in the source. */
  readonly name: string
  /** Absent: its name. */
  readonly address?: string
  /** Names of the groups that it is in, directly or by way of others. */
  readonly groups: readonly string[]
  readonly ssh: InventorySsh
  /** The host is this machine. */
  readonly local: boolean
  /** Sentences about what was not sure or could not be carried over. */
  readonly notes: readonly string[]
}

/** Hosts of a file that another tool wrote. */
export type Inventory = {
  /** The kind of the file, such as `an Ansible inventory in YAML`. */
  readonly kind: string
  readonly hosts: readonly InventoryHost[]
  /** Sentences about the file as a whole. */
  readonly notes: readonly string[]
}

/** A value of a variable: `sealed` if it is encrypted or has a tag, so that nobody knows it here. */
export type Variable = { readonly value: unknown; readonly sealed?: true }

export type Variables = ReadonlyMap<string, Variable>

/** Reason why a file cannot be the source of hosts. */
export type InventoryProblem = { readonly message: string; readonly fix: string }

export const isProblem = <Other extends object>(value: Other | InventoryProblem): value is InventoryProblem =>
  'message' in value && 'fix' in value

/** Most hosts that are read; a pattern such as `db[1:999999]` is one line. */
export const mostHosts = 10_000

/** Sentences that are kept about one host, and about a file. */
export const mostNotes = 20

/** Shows a word of the file in a sentence. */
export const shownWord = (text: string): string => `'${text.length > 60 ? `${text.slice(0, 59)}…` : text}'`

export const tooManyHosts: InventoryProblem = {
  message: `The inventory has more than ${mostHosts} hosts.`,
  fix: 'Name an inventory with the hosts of one cluster.',
}

/**
 * Most values of variables and places in groups that hosts may have together: a few lines with ranges, nested groups and
 * variables multiply to billions.
 */
export const mostEntries = 1_000_000

export const tooManyEntries: InventoryProblem = {
  message: `The groups and variables of its hosts add up to more than ${mostEntries} entries.`,
  fix: 'Name an inventory with the hosts and variables of one cluster.',
}
