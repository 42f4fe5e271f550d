import type { Secret } from '../../secrets/secret.ts'
import type { Plain } from '../types/type.ts'

/** Part of the input, lowest priority first; `ssh` is the group of that name for all hosts. */
export type Layer = 'default' | 'defaults' | 'ssh' | 'service' | 'host' | 'set'

/** Origin of a value; built-in defaults and the command line have no place. */
export type ValueOrigin = {
  readonly layer: Layer
  /** Name of the service, for that layer. */
  readonly service?: string
  /** Position of its name; 1-based. */
  readonly place?: { readonly file: string; readonly line: number; readonly column: number }
}

/** A resolved setting of a host, safe to print. */
export type DescribedValue = {
  readonly name: string
  /** As in a file; a secret is `[redacted]`. */
  readonly value: Plain
  readonly origin: ValueOrigin
  /** Equal for equal values, even if `value` is hidden; that of a secret is its source. */
  readonly identity: Secret
}

/** The groups of a host's description, in the order of the output. */
export const describedGroups = ['host', 'ssh', 'options'] as const

export type DescribedGroup = (typeof describedGroups)[number]

/** A host with every setting that applies to it and has a value. */
export type DescribedHost = { readonly name: string } & {
  readonly [group in DescribedGroup]: readonly DescribedValue[]
}

/** Resolved configuration by host, in the order of the first file. */
export type Description = {
  readonly cluster: string
  readonly hosts: readonly DescribedHost[]
}
