import type { Secret } from './secret.ts'

/** Location of a reference, for messages. */
export type ReferencePlace = {
  /** The option's spelling in the file. */
  readonly option: string
  /** `file:line:column`. */
  readonly place: string
  /** Absolute folder of the YAML file; absent for the command line. */
  readonly directory?: string
}

/**
 * Source of a secret: literal, `!env`, `!file` or `!exec` (options.md, "The file"). `at` is set once the
 * files are resolved. A program starts in the folder of the YAML file.
 */
export type SecretReference =
  | { readonly kind: 'literal'; readonly value: Secret }
  | { readonly kind: 'env'; readonly name: string; readonly at?: ReferencePlace }
  | {
      readonly kind: 'file'
      /** Absolute if `at` is set; before that as in the file. */
      readonly path: string
      /** The path in the file, if `path` differs. */
      readonly written?: string
      readonly at?: ReferencePlace
    }
  | {
      readonly kind: 'exec'
      readonly command: readonly [string, ...string[]]
      readonly at?: ReferencePlace
    }

/** Returns true if two references certainly give the same secret: equal text, or the same source. */
export function sameSource(one: SecretReference, other: SecretReference): boolean {
  if (one.kind === 'literal' || other.kind === 'literal') {
    return one.kind === 'literal' && other.kind === 'literal' && one.value.equals(other.value)
  }
  return sourceOf(one) === sourceOf(other)
}

/** Returns a key that is equal for equal sources; undefined for a literal secret. */
export function sourceOf(reference: SecretReference): string | undefined {
  switch (reference.kind) {
    case 'literal':
      return undefined
    case 'env':
      return JSON.stringify(['env', reference.name])
    case 'file':
      return JSON.stringify(['file', reference.path, reference.at?.directory])
    case 'exec':
      return JSON.stringify(['exec', reference.at?.directory, ...reference.command])
  }
}
