import { canonicalAddress } from '../../base/address.ts'
import { quote } from '../../base/shellWords.ts'
import type { Transport } from '../../transport/transport.ts'
import {
  type ConfiguredReadOnly,
  configuredReadOnlyScript,
  parseConfiguredReadOnly,
} from '../configuredReadOnly.ts'
import { StepError } from '../stepError.ts'
import { parseUnboundSessions, type UnboundAccount, unboundSessionsScript } from '../unboundSessions.ts'

/** The firewall that is on, and its rules as its own tool prints them. */
export type ObservedFirewall = { readonly kind: 'firewalld' | 'ufw' | 'nftables'; readonly rules: string }

/** Values that only the checks need, in addition to the facts. */
export type Observations = {
  /** Milliseconds that the host's clock is ahead of this machine; negative if it is behind. */
  readonly clockOffset: number
  /** Output of `getconf GNU_LIBC_VERSION`, such as `glibc 2.36`, or `musl`; absent if unknown. */
  readonly libc?: string
  /** Canonical addresses of the names that were looked up on the host; empty if the host does not know the name. */
  readonly resolved: ReadonlyMap<string, readonly string[]>
  /** Text of /etc/hosts, its first 64 KiB. */
  readonly hostsFile: string
  /** Paths below the install-directory that an interrupted run left incomplete, more than an hour ago. */
  readonly leftovers: readonly string[]
  /** Absent if none is on, or if the login may not read it. */
  readonly firewall?: ObservedFirewall
  /** What the host's database starts with; a text says why that is not known. Absent unless the host has a MariaDB. */
  readonly configuredReadOnly?: ConfiguredReadOnly | string
  /** Accounts that are logged in at the host's database and write to it while it is read-only; as above. */
  readonly unboundSessions?: readonly UnboundAccount[] | string
}

/** Reads the observations of one host in one round trip; rejects with a `TransportError` or a `StepError`. */
export async function observe(
  transport: Transport,
  options: {
    readonly installDirectory: string
    readonly names: readonly string[]
    /** Port of the host's own MariaDB; absent if it has none. */
    readonly mariadbPort?: number
    readonly now: () => Date
  },
): Promise<Observations> {
  const sent = options.now()
  const { code, stdout, stderr } = await transport.run(observeScript(options))
  const observed = parseObservations(stdout.raw(), { sent, port: options.mariadbPort ?? 0 })
  if (code === 0 && Number.isFinite(observed.clockOffset)) return observed
  throw new StepError({
    host: transport.host,
    code: 'facts-failed',
    message: `reading the host's clock and names failed with exit code ${code}: ${String(stderr) || 'the host returned no time'}`,
    fix: 'The host needs a POSIX sh, coreutils, grep and sed.',
  })
}

const parallelLookups = 32
const timeoutSeconds = 5

/** Minimum age in minutes of a leftover: a younger one may belong to a current run. */
const leftoverMinutes = 60

/**
 * Returns a POSIX sh script that changes nothing, and opens no connection but one to the database over its Unix socket. Its first line prints the time, before
 * slower commands. Free text is base64.
 */
function observeScript({
  installDirectory,
  names,
  mariadbPort,
}: {
  readonly installDirectory: string
  readonly names: readonly string[]
  readonly mariadbPort?: number
}): string {
  const database =
    mariadbPort === undefined
      ? ''
      : `printf 'read-only\\t%s\\n' "$(${configuredReadOnlyScript(mariadbPort)})"
printf 'sessions\\t'
${unboundSessionsScript}
printf '\\n'`
  return `
printf 'clock\\t%s\\n' "$(date +%s.%N)"
code() { head -c 65536 | base64 | tr -d '\\n'; }
libc=$(getconf GNU_LIBC_VERSION 2>/dev/null)
[ -n "$libc" ] || for f in /lib/ld-musl-*; do [ -e "$f" ] && libc=musl; done
printf 'libc\\t%s\\n' "$libc"
printf 'hosts-file\\t%s\\n' "$(cat /etc/hosts 2>/dev/null | code)"
if [ "$(id -u)" = 0 ]; then
  if command -v firewall-cmd >/dev/null 2>&1 && timeout ${timeoutSeconds} firewall-cmd --state >/dev/null 2>&1; then
    printf 'firewall\\tfirewalld\\t%s\\n' "$(
      for z in $(timeout ${timeoutSeconds} firewall-cmd --get-active-zones | sed -n 's/^\\([^ ]\\{1,\\}\\).*/\\1/p'); do
        timeout ${timeoutSeconds} firewall-cmd --zone="$z" --list-all
      done 2>/dev/null | code)"
  elif grep -q '^ENABLED=yes' /etc/ufw/ufw.conf 2>/dev/null; then
    printf 'firewall\\tufw\\t%s\\n' "$(
      { grep -h '^DEFAULT_INPUT_POLICY' /etc/default/ufw
        grep -h '^### tuple ###' /etc/ufw/user.rules /etc/ufw/user6.rules; } 2>/dev/null | code)"
  elif command -v nft >/dev/null 2>&1; then
    rules=$(timeout ${timeoutSeconds} nft -t list ruleset 2>/dev/null | code)
    [ -n "$rules" ] && printf 'firewall\\tnftables\\t%s\\n' "$rules"
  fi
fi
( cd ${quote(installDirectory)} 2>/dev/null || exit 0
  find releases runtimes -maxdepth 1 -name '.new-*' -mmin +${leftoverMinutes} 2>/dev/null
  # Folders that only a deployment writes. What is beside key and chain may be what a component starts with; their next
  # writing removes it.
  find . share share/applied share/processes -xdev -maxdepth 1 -type f -name '.*.muster-*' -mmin +${leftoverMinutes} 2>/dev/null
) | head -n 100 | sed 's/^\\.\\///; s/^/leftover\\t/'
${database}
look() {
  found=$(timeout ${timeoutSeconds} getent ahosts "$1" 2>/dev/null | cut -d' ' -f1 | sort -u | tr '\\n' ' ')
  printf 'name\\t%s\\t%s\\n' "$1" "$found"
}
command -v getent >/dev/null 2>&1 || exit 0
i=0
for n in ${names.map(quote).join(' ')}; do
  look "$n" </dev/null &
  i=$((i + 1))
  [ $((i % ${parallelLookups})) = 0 ] && wait
done
wait
exit 0
`
}

/** Parses the output of the script. `sent` is this machine's time at which the script was sent. */
function parseObservations(
  output: string,
  { sent, port }: { readonly sent: Date; readonly port: number },
): Observations {
  const rows = output.split('\n').map((line) => line.split('\t'))
  const row = (key: string): readonly string[] => rows.find(([name]) => name === key) ?? []
  const [, libc] = row('libc')
  const [, kind, rules] = row('firewall')
  const [, readOnly] = row('read-only')
  const [, sessions] = row('sessions')
  return {
    // BusyBox has no %N: it prints whole seconds.
    clockOffset: Math.round(Number.parseFloat(row('clock')[1] ?? '') * 1000 - sent.getTime()),
    ...(libc ? { libc } : {}),
    resolved: new Map(
      rows.flatMap(([key, name, addresses = '']) =>
        key === 'name' && name !== undefined ? [[name, addressesIn(addresses)] as const] : [],
      ),
    ),
    leftovers: rows.flatMap(([key, path = '']) => (key === 'leftover' && isLeftover(path) ? [path] : [])),
    hostsFile: decode(row('hosts-file')[1]),
    ...(isFirewall(kind) ? { firewall: { kind, rules: decode(rules) } } : {}),
    ...(sessions === undefined ? {} : { unboundSessions: parseUnboundSessions(sessions, port) }),
    ...(readOnly === undefined ? {} : { configuredReadOnly: parseConfiguredReadOnly(readOnly) }),
  }
}

/** Parses addresses to canonical form; one with a zone (`fe80::1%eth0`) stays unchanged. */
const addressesIn = (text: string): readonly string[] =>
  text
    .split(' ')
    .filter((word) => word !== '')
    .map((word) => canonicalAddress(word) ?? word)

const decode = (text: string | undefined): string => Buffer.from(text ?? '', 'base64').toString('utf8')

const firewalls: readonly string[] = ['firewalld', 'ufw', 'nftables']
const isFirewall = (word: string | undefined): word is ObservedFirewall['kind'] =>
  firewalls.includes(word ?? '')

/** Returns true for a path that is safe to remove: only names that muster creates, inside the folder. */
const isLeftover = (path: string): boolean =>
  /^[\w./-]+$/.test(path) &&
  !path.split('/').includes('..') &&
  /^(?:(?:releases|runtimes)\/\.new-[^/]+|(?:[^/]+\/)*\.[^/]+\.muster-[0-9a-f]{16})$/.test(path)
