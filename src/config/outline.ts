import type { DatabaseType } from '../contracts/choices.ts'
import type { Plain } from './types/type.ts'

/** A reference to a secret, such as `!env MONITOR_PASSWORD`. */
export type OutlineReference = { readonly tag: 'env'; readonly variable: string }

/** One line of a group, below its comments; without a name only the comments are written. */
export type OutlineLine = {
  /** Sentences without `#`; they may quote strangers. */
  readonly comments?: readonly string[]
  readonly name?: string
  /** A map is written on one line. */
  readonly value?:
    | Plain
    | OutlineReference
    | Readonly<Record<string, Plain | Readonly<Record<string, Plain>>>>
}

type OutlineService = { readonly name: string; readonly lines: readonly OutlineLine[] }

export type OutlineHost = {
  readonly name: string
  readonly comments: readonly string[]
  readonly lines: readonly OutlineLine[]
  readonly ssh: readonly OutlineLine[]
  readonly options: readonly OutlineLine[]
}

/** A configuration to be written as a new file, with a comment wherever its author was not sure. */
export type Outline = {
  /** Comments at the top. */
  readonly head: readonly string[]
  readonly cluster: string
  readonly defaults: readonly OutlineLine[]
  readonly ssh: readonly OutlineLine[]
  readonly services: readonly OutlineService[]
  readonly hosts: readonly OutlineHost[]
  /** Comments below the last host. */
  readonly tail: readonly string[]
}

/** A comment of its own. */
export const remark = (...comments: readonly string[]): OutlineLine => ({ comments })

/** Lines of a new file about the APIs of every host. */
export const apiDefaults: readonly OutlineLine[] = [
  {
    comments: [
      'The administrator of every API. Without a password, muster generates one, keeps it in .muster/ beside this file and shows it once.',
    ],
    name: 'rest-api-admin-user',
    value: 'admin',
  },
  {
    comments: ['Each API listens on 127.0.0.1 unless told; 0.0.0.0 opens it on all interfaces of the host.'],
    name: 'manager-rest-api-address',
    value: '0.0.0.0',
  },
  { name: 'connector-rest-api-address', value: '0.0.0.0' },
  { name: 'replicator-rest-api-address', value: '0.0.0.0' },
]

/** Lines of a new file about databases of a kind and their two accounts; the passwords are in the environment. */
export const databaseDefaults = (given: {
  readonly type: DatabaseType
  readonly replication: OutlineAccount
  readonly monitor: OutlineAccount
}): readonly OutlineLine[] => [
  { name: 'datasource-type', value: given.type },
  ...accountLines('replication', given.replication),
  ...accountLines('monitor', given.monitor),
]

/** An account of the databases, and how sure it is. */
export type OutlineAccount = { readonly user: string; readonly comments: readonly string[] }

const accountLines = (
  which: 'replication' | 'monitor',
  { user, comments }: OutlineAccount,
): readonly OutlineLine[] => [
  { comments, name: `${which}-user`, value: user },
  { name: `${which}-password`, value: { tag: 'env', variable: `${which.toUpperCase()}_PASSWORD` } },
]
