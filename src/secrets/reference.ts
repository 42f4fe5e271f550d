import type { Secret } from './secret.ts'

/** Where a reference stands, as messages tell it. */
export type ReferencePlace = {
  /** The option as it is spelled there. */
  readonly option: string
  /** `file:line:column`. */
  readonly place: string
  /** Folder of the YAML file, absolute; absent for what the command line gives. */
  readonly directory?: string
}

/**
 * Where a secret option's value comes from: written out, `!env`, `!file` or `!exec` (options.md, "The file").
 * `at` is there once the files are resolved. A program is started in the folder of the YAML file.
 */
export type SecretReference =
  | { readonly kind: 'literal'; readonly value: Secret }
  | { readonly kind: 'env'; readonly name: string; readonly at?: ReferencePlace }
  | {
      readonly kind: 'file'
      /** Absolute, with `at`; before that as it is written. */
      readonly path: string
      /** As it is written, when `path` is not. */
      readonly written?: string
      readonly at?: ReferencePlace
    }
  | {
      readonly kind: 'exec'
      readonly command: readonly [string, ...string[]]
      readonly at?: ReferencePlace
    }

/** Whether two references surely give the same secret: the same text, or read from the same place. */
export function sameSource(one: SecretReference, other: SecretReference): boolean {
  if (one.kind === 'literal' || other.kind === 'literal') {
    return one.kind === 'literal' && other.kind === 'literal' && one.value.equals(other.value)
  }
  return sourceOf(one) === sourceOf(other)
}

/** The same for references that read the same thing; undefined for a secret that is written out. */
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
