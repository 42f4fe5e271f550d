import type { Secret } from './secret.ts'

/** Where a secret option's value comes from: written out, `!env`, `!file` or `!exec` (options.md, "The file"). */
export type SecretReference =
  | { readonly kind: 'literal'; readonly value: Secret }
  | { readonly kind: 'env'; readonly name: string }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'exec'; readonly command: readonly [string, ...string[]] }
