import { quote } from '../../base/shellWords.ts'

/** Lookups at once on one host, and the seconds each of them has. */
const lookupsAtOnce = 32
const patience = 5

/** Minutes after which nobody is at work any more on what is half-written. */
const settled = 60

/**
 * One POSIX sh script for what only the checks need, in one round trip; it changes nothing and opens no
 * connection. Its first line tells the time, before anything that takes some. Free text is base64.
 */
export function observeScript(installDirectory: string, names: readonly string[]): string {
  return `
printf 'clock\\t%s\\n' "$(date +%s.%N)"
code() { head -c 65536 | base64 | tr -d '\\n'; }
libc=$(getconf GNU_LIBC_VERSION 2>/dev/null)
[ -n "$libc" ] || for f in /lib/ld-musl-*; do [ -e "$f" ] && libc=musl; done
printf 'libc\\t%s\\n' "$libc"
printf 'hosts-file\\t%s\\n' "$(cat /etc/hosts 2>/dev/null | code)"
if [ "$(id -u)" = 0 ]; then
  if command -v firewall-cmd >/dev/null 2>&1 && timeout ${patience} firewall-cmd --state >/dev/null 2>&1; then
    printf 'firewall\\tfirewalld\\t%s\\n' "$(
      for z in $(timeout ${patience} firewall-cmd --get-active-zones | sed -n 's/^\\([^ ]\\{1,\\}\\).*/\\1/p'); do
        timeout ${patience} firewall-cmd --zone="$z" --list-all
      done 2>/dev/null | code)"
  elif grep -q '^ENABLED=yes' /etc/ufw/ufw.conf 2>/dev/null; then
    printf 'firewall\\tufw\\t%s\\n' "$(
      { grep -h '^DEFAULT_INPUT_POLICY' /etc/default/ufw
        grep -h '^### tuple ###' /etc/ufw/user.rules /etc/ufw/user6.rules; } 2>/dev/null | code)"
  elif command -v nft >/dev/null 2>&1; then
    rules=$(timeout ${patience} nft -t list ruleset 2>/dev/null | code)
    [ -n "$rules" ] && printf 'firewall\\tnftables\\t%s\\n' "$rules"
  fi
fi
( cd ${quote(installDirectory)} 2>/dev/null || exit 0
  find releases runtimes -maxdepth 1 -name '.new-*' -mmin +${settled} 2>/dev/null
  # Folders that only a deployment writes. What is beside key and chain may be what a component starts with; their next
  # writing removes it.
  find . share share/applied share/processes -xdev -maxdepth 1 -type f -name '.*.muster-*' -mmin +${settled} 2>/dev/null
) | head -n 100 | sed 's/^\\.\\///; s/^/leftover\\t/'
look() {
  found=$(timeout ${patience} getent ahosts "$1" 2>/dev/null | cut -d' ' -f1 | sort -u | tr '\\n' ' ')
  printf 'name\\t%s\\t%s\\n' "$1" "$found"
}
command -v getent >/dev/null 2>&1 || exit 0
i=0
for n in ${names.map(quote).join(' ')}; do
  look "$n" </dev/null &
  i=$((i + 1))
  [ $((i % ${lookupsAtOnce})) = 0 ] && wait
done
wait
exit 0
`
}
