import { quote } from '../../base/shellWords.ts'
import type { InstallationFacts } from '../facts/hostFacts.ts'
import type { Layout } from '../layout.ts'

const rollbackPrefix = 'rolling back to '

/**
 * Returns the text that replaces a component's digest from the beginning of a rollback until its start in the older
 * release.
 */
export const rollingBackMarker = (release: string): string => `${rollbackPrefix}${release}`

/**
 * Returns the text that replaces the digest after that start; it never equals a digest, so the next installation
 * restarts the component.
 */
export const rolledBackMarker = (release: string): string => `rolled back to ${release}`

/** Returns the target release of an interrupted rollback. */
export const unfinishedRollback = ({ applied }: InstallationFacts): string | undefined =>
  [...applied.values()]
    .find((text) => text.startsWith(rollbackPrefix))
    ?.slice(rollbackPrefix.length)
    .trim()

/**
 * Returns sh that points `current` to a release by one atomic rename of a symlink, then records in the release when
 * it became current. A number before the time defines the order, because clocks may be set back.
 */
export function switchScript(layout: Layout, release: string): string {
  const folder = quote(`releases/${release}`)
  return `cd ${quote(layout.root)}
turn=0
for f in releases/*/.activated; do
  n=0
  if [ -r "$f" ]; then read -r n _ < "$f" || :; fi
  if [ "$n" -gt "$turn" ] 2>/dev/null; then turn=$n; fi
done
old=$(readlink current || :)
if [ -n "$old" ] && [ -d "$old" ] && [ ! -e "$old/.activated" ]; then
  turn=$((turn + 1))
  printf '%s\\n' "$turn" > "$old/.activated"
fi
rm -f .current-new
ln -s ${folder} .current-new
mv -fT .current-new current
printf '%s %s\\n' "$((turn + 1))" "$(date -u +%Y-%m-%dT%H:%M:%SZ)" > ${folder}/.activated.new
mv -f ${folder}/.activated.new ${folder}/.activated`
}

/**
 * Returns sh that removes releases and runtimes, each renamed first; the current release stays. A running process
 * keeps its open files (unlink(2)).
 */
export const removeScript = (layout: Layout, paths: readonly string[]): string => `set -e
cd ${quote(layout.root)}
rm -rf releases/.old-* runtimes/.old-*
now=$(readlink current || :)
for p in ${paths.map(quote).join(' ')}; do
  [ "$p" != "$now" ] && [ -d "$p" ] || continue
  mv "$p" "\${p%%/*}/.old-\${p#*/}"
  rm -rf "\${p%%/*}/.old-\${p#*/}"
done`
