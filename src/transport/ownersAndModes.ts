import { quote } from '../base/shellWords.ts'

/** Path on a host with its permission bits; `owner` is `user:group`. */
type OwnedPath = { readonly path: string; readonly mode: number; readonly owner?: string | undefined }

/**
 * Builds sh commands that set owners, then modes. Paths with the same values share one command, since each
 * costs a host a millisecond or two.
 */
export function ownersAndModes(paths: readonly OwnedPath[]): readonly string[] {
  const grouped = <Key>(keyOf: (path: OwnedPath) => Key): readonly (readonly [Key, string])[] =>
    [...new Set(paths.map(keyOf))].map((key) => [
      key,
      paths.flatMap((path) => (keyOf(path) === key ? [quote(path.path)] : [])).join(' '),
    ])
  return [
    ...grouped(({ owner }) => owner).flatMap(([owner, alike]) =>
      owner === undefined ? [] : [`chown ${quote(owner)} ${alike}`],
    ),
    ...grouped(({ mode }) => mode).map(
      ([mode, alike]) => `chmod ${mode.toString(8).padStart(4, '0')} ${alike}`,
    ),
  ]
}
