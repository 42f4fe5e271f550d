import { quote } from '../../transport/shellWords.ts'
import type { Layout } from '../layout.ts'

/**
 * sh function `inuse`: prints what processes use of the installation in `$root`, one `releases/NAME` or
 * `runtimes/NAME` a line: the programs they run (proc(5), exe) and the releases their command lines name.
 */
export const inUse = `
inuse() {
  real=$(readlink -f "$root")
  {
    ls -l /proc/[0-9]*/exe | sed -n 's/^.* -> //p'
    cat /proc/[0-9]*/cmdline | tr '\\000' '\\n'
  } 2>/dev/null | LC_ALL=C sort -u | while IFS= read -r p; do
    case $p in
      "$real"/releases/*/* | "$real"/runtimes/*/*) p=\${p#"$real"/} ;;
      "$root"/releases/*/* | "$root"/runtimes/*/*) p=\${p#"$root"/} ;;
      *) continue ;;
    esac
    kind=\${p%%/*}; p=\${p#*/}
    printf '%s/%s\\n' "$kind" "\${p%%/*}"
  done
}`

/**
 * sh that points `current` to a release by one atomic rename of a symlink, then writes into the release when
 * it became the current one. The number before the time decides the order: a clock may go back.
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

/** sh that removes releases and runtimes, each out of sight at once; what is current or in use stays. */
export function removeScript(layout: Layout, paths: readonly string[]): string {
  return `root=${quote(layout.root)}
${inUse}
set -e
cd "$root"
rm -rf releases/.old-* runtimes/.old-*
used=$(inuse)
now=$(readlink current || :)
for p in ${paths.map(quote).join(' ')}; do
  case "
$used
$now
" in *"
$p
"*) continue ;; esac
  [ -d "$p" ] || continue
  mv "$p" "\${p%%/*}/.old-\${p#*/}"
  rm -rf "\${p%%/*}/.old-\${p#*/}"
done`
}
