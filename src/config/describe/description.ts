import type { Secret } from '../../secrets/secret.ts'
import type { Plain } from '../types/type.ts'

/** Which part of the input decided, lowest first; `ssh` is the group of that name for all hosts. */
export type Layer = 'default' | 'defaults' | 'ssh' | 'service' | 'host' | 'set'

/** Where a value came from; built-in defaults and the command line have no place. */
export type ValueOrigin = {
  readonly layer: Layer
  /** Name of the service, for that layer. */
  readonly service?: string
  /** Where its name stands; 1-based. */
  readonly place?: { readonly file: string; readonly line: number; readonly column: number }
}

/** One resolved setting of a host, safe to print. */
export type DescribedValue = {
  readonly name: string
  /** As a file would have it; a secret is `[redacted]`. */
  readonly value: Plain
  readonly origin: ValueOrigin
  /** The same for the same value, also where `value` hides it; a secret's is what it is read from. */
  readonly identity: Secret
}

/** The groups of a host's description, in the order in which they are shown. */
export const describedGroups = ['host', 'ssh', 'options'] as const

export type DescribedGroup = (typeof describedGroups)[number]

/** A host with every setting that applies to it and has a value. */
export type DescribedHost = { readonly name: string } & {
  readonly [group in DescribedGroup]: readonly DescribedValue[]
}

/** What the files come to, host by host, in the order of the first file. */
export type Description = {
  readonly cluster: string
  readonly hosts: readonly DescribedHost[]
}
