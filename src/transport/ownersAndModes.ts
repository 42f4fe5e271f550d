import { quote } from '../base/shellWords.ts'

/** A path on a host, its permission bits, and `user:group` where it is to be given to them. */
export type OwnedPath = { readonly path: string; readonly mode: number; readonly owner?: string | undefined }

/**
 * sh commands that give paths to their owners and then set their modes: one program for all that are to be alike, since
 * each costs a host a millisecond or two.
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
