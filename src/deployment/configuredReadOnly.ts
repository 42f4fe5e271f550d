import { kernelPort } from '../base/address.ts'
import { printableLine } from '../base/printable.ts'
import { quote } from '../base/shellWords.ts'

/** The value of `read_only` that a server of MariaDB starts with, as far as the files of its host say. */
export type ConfiguredReadOnly = {
  readonly isReadOnly: boolean
  /** Where it is set, such as `/etc/my.cnf:12`; absent where nothing sets it. */
  readonly place?: string
  /** The last option file with a group of the server, and that group; absent where there is none. */
  readonly group?: { readonly file: string; readonly name: string }
}

/** Writes as clauses why a server starts writable, and what to change. */
export function startsWritable({ place, group }: ConfiguredReadOnly): {
  readonly reason: string
  readonly fix: string
} {
  const below = group === undefined ? '[mysqld] in its option file' : `[${group.name}] in ${group.file}`
  return place === undefined
    ? {
        reason: 'no option file sets read_only',
        fix: `Write read_only=1 below ${below}; the manager makes a primary writable again after a start.`,
      }
    : {
        reason: `${place} switches read_only off`,
        fix: 'Write read_only=1 there; the manager makes a primary writable again after a start.',
      }
}

/** Most bytes that the script prints, and most seconds that it takes. */
const limits = { bytes: 65_536, seconds: 10 }

/** Lines of option files that are read: groups, files that they include, and the option. */
const wanted = String.raw`^[[:space:]]*(\[|!include|((loose|skip|disable|enable)[-_])*read[-_]only)`

/** That option among the arguments of a server, which are printed as lines of a file. */
const onCommandLine = '\t((loose|skip|disable|enable)[-_])*read[-_]only'

/** Prints the lines of an option file, and of the files that it includes, where they are included. */
const script = String.raw`
option_file() {
  if [ ! -f "$1" ] || [ ! -r "$1" ] || [ "$2" -gt 5 ]; then printf 'unread\t%s\n' "$1"; return; fi
  # A server takes nothing from a file that everybody may change.
  [ -z "$(find -L "$1" -perm -2 2>/dev/null)" ] || return 0
  grep -naE ${quote(wanted)} "$1" 2>/dev/null | head -n 500 | while read -r line; do
    number=${'$'}{line%%:*}
    text=${'$'}{line#*:}
    text=${'$'}{text#"${'$'}{text%%[![:space:]]*}"}
    path=${'$'}{text#*[[:space:]]}
    path=${'$'}{path#"${'$'}{path%%[![:space:]]*}"}
    case $text in
      '!includedir'[[:space:]]*)
        [ -r "$path" ] || printf 'unread\t%s\n' "$path"
        for f in "${'$'}{path%/}"/*.cnf; do [ ! -e "$f" ] || option_file "$f" $(($2 + 1)); done ;;
      '!include'[[:space:]]*) option_file "$path" $(($2 + 1)) ;;
      *) printf 'line\t%s\t%s\t%s\n' "$1" "$number" "$text" ;;
    esac
  done
}
port=$1
here=$(stat -Lc %d:%i / 2>/dev/null)
inodes=$(cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | sed -n "s/^ *[0-9]*: [0-9A-F]*:$1 [0-9A-F:]* 0A [^ ]* [^ ]* [^ ]* *[0-9]* *[0-9]* \([0-9]*\) .*/\1/p")
set --
for f in $(grep -lxE 'mariadbd|mysqld' /proc/[0-9]*/comm 2>/dev/null); do
  p=${'$'}{f%/comm}
  # One in a container has files of its own.
  root=$(stat -Lc %d:%i "$p/root/" 2>/dev/null)
  [ "${'$'}{root:-$here}" = "$here" ] || continue
  set -- "$@" "$p"
done
only=
[ "$#" -gt 1 ] || only=$1
# The one of which nothing can be seen counts where it is the only one.
if [ "$port" != 0000 ] && { [ -z "$only" ] || [ -r "$only/fd" ]; }; then
  for p; do
    shift
    for i in $inodes; do
      if [ -n "$(find "$p/fd" -lname "socket:?$i?" 2>/dev/null)" ]; then set -- "$@" "$p"; break; fi
    done
  done
fi
printf 'servers\t%s\n' "$#"
if [ "$#" = 1 ]; then
  args=$(tr '\0' '\n' < "$1/cmdline" 2>/dev/null)
  argument() { printf '%s\n' "$args" | sed -n "s/^--$1=//p" | head -n 1; }
  printf 'suffix\t%s\n' "$(argument defaults-group-suffix)"
  file=$(argument defaults-file)
  extra=$(argument defaults-extra-file)
  if [ -n "$file" ]; then option_file "$file" 0
  elif ! printf '%s\n' "$args" | grep -qx -e --no-defaults; then
    home=$(tr '\0' '\n' < "$1/environ" 2>/dev/null | sed -n 's/^HOME=//p')
    known=$(my_print_defaults --help 2>/dev/null | sed -n '/are read from the following files/{n;p;}')
    set -f
    for f in ${'$'}{known:-/etc/my.cnf /etc/mysql/my.cnf ~/.my.cnf}; do
      set +f
      case $f in
        '~/'*)
          [ -z "$extra" ] || option_file "$extra" 0
          f=$home/${'$'}{f#'~/'} ;;
      esac
      [ ! -e "$f" ] || option_file "$f" 0
    done
  fi
  printf '%s\n' "$args" | sed -n 's/^--/line\targuments\t0\t/p' | grep -E ${quote(onCommandLine)}
  printf 'end\n'
fi`

/**
 * Returns sh that prints which option files say what of `read_only`: those of the server that listens on the port, as far as
 * that can be seen, or of the only one that runs on the host, where no port is given. It runs no program of the server,
 * changes nothing, and prints only that option and the names of files and groups.
 */
export function configuredReadOnlyScript(port: number | undefined): string {
  const hex = kernelPort(port ?? 0)
  return `timeout ${limits.seconds} sh -c ${quote(script)} sh ${hex} 2>/dev/null | head -c ${limits.bytes} | base64 | tr -d '\\n'`
}

/** Groups that every server of MariaDB reads ("Option Groups", mariadb.com/kb/en/configuring-mariadb-with-option-files). */
const serverGroups = ['mysqld', 'server', 'mariadb', 'mariadbd', 'client-server', 'galera'] as const

/** Returns what the output of the script says; a text says why nothing is known. */
export function parseConfiguredReadOnly(output: string): ConfiguredReadOnly | string {
  const rows = Buffer.from(output, 'base64')
    .toString('utf8')
    .split('\n')
    .map((line) => line.split('\t').map((it) => printableLine(it.slice(0, 300))))
  const valuesOf = (key: string): readonly (readonly string[])[] =>
    rows.flatMap(([first, ...values]) => (first === key ? [values] : []))
  const [[servers = '0'] = []] = valuesOf('servers')
  if (servers === '0') return 'no server runs on this host'
  if (servers !== '1') return `${servers} servers run on this host`
  const [[unread] = []] = valuesOf('unread')
  if (unread !== undefined) return `${unread} cannot be read`
  if (valuesOf('end').length === 0) return 'its option files could not be read in time'
  const [[suffix = ''] = []] = valuesOf('suffix')
  const names = new Set(serverGroups.flatMap((name) => [name, `${name}${suffix}`]))
  let found: ConfiguredReadOnly = { isReadOnly: false }
  // A file that is included has groups of its own, and the one that includes it goes on with its group.
  const groups = new Map<string, string>()
  for (const [file = '', number = '', text = ''] of valuesOf('line')) {
    const name = /^\[\s*([^\]]*?)\s*\]/.exec(text)?.[1]
    if (name !== undefined) {
      groups.set(file, name)
      if (names.has(name)) found = { ...found, group: { file, name } }
      continue
    }
    const isReadOnly = readOnlyValue(text)
    if (isReadOnly === undefined) continue
    // They come last.
    if (file === 'arguments') {
      found = { ...found, isReadOnly, place: 'the command line of the server' }
      continue
    }
    const place = `${file}:${number}`
    const group = groups.get(file) ?? ''
    if (/^(mysqld|mariadbd?)-\d+(\.\d+)?$/.test(group.slice(0, group.length - suffix.length))) {
      return `${place} sets read_only for one version of the server`
    }
    if (names.has(group)) found = { ...found, isReadOnly, place }
  }
  return found
}

/** Returns the value of `read_only` that a line sets; undefined if it sets another option. */
function readOnlyValue(text: string): boolean | undefined {
  const line = /^(?:loose[-_])?(skip[-_]|disable[-_]|enable[-_])?read[-_]only\s*(?:=\s*["']?(\w*)|$|#)/.exec(
    text,
  )
  if (line === null) return undefined
  const [, prefix = '', value = '1'] = line
  if (/^(skip|disable)/.test(prefix)) return false
  return !/^(0|off|false)$/i.test(value)
}
