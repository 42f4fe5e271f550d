import { quote } from '../../transport/shellWords.ts'
import type { Processes } from '../services/process.ts'
import { forEachComponent, prelude, replacedFiles } from './prelude.ts'

/**
 * sh that copies what a run will change into `.before`, whole or not at all: settings, stores, digests, unit
 * files, where `current` leads, and which processes run. Modes and owners stay; only root or we ourselves can
 * look into the folder. A copy that is there stays: it is of the last state that was proved.
 */
export const rememberScript = (installed: Processes): string => `set -e
cd ${quote(installed.layout.root)}
if [ -d .before ]; then exit 0; fi
${prelude(installed)}
b=.before.new
rm -rf "$b"
trap 'rm -rf "$b"' EXIT
mkdir -m 700 "$b" "$b/units" "$b/turns" "$b/share"
for p in ${replacedFiles(installed)} share/tls share/applied; do
  if [ -e "$p" ]; then cp -a "$p" "$b/share/"; fi
done
readlink current > "$b/current" || :
for f in releases/*/.activated; do
  [ -f "$f" ] || continue
  f=\${f#releases/}
  cp -a "releases/$f" "$b/turns/\${f%/.activated}"
done
remember() {
  is=$(identity "$1" "$2")
  if [ -n "$is" ]; then echo "$1 $is" >> "$b/running"; fi
  [ -f "$units/$2" ] || return 0
  cp -a "$units/$2" "$b/units/"
  if booted && systemctl --quiet is-enabled "$2" 2>/dev/null; then echo "$2" >> "$b/enabled"; fi
}
${forEachComponent(installed, 'remember')}
sync -f "$b" 2>/dev/null || sync
trap - EXIT
mv -T "$b" .before`

/** sh that takes the copy away, once the new state is proved. */
export const forgetScript = ({ layout }: Pick<Processes, 'layout'>): string =>
  `rm -rf ${quote(layout.before)}`
