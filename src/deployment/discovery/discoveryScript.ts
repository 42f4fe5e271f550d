import { quote } from '../../base/shellWords.ts'
import { configuredReadOnlyScript } from '../configuredReadOnly.ts'
import { identity, sharedFunctions } from '../facts/parts/common.ts'
import { listeners, system } from '../facts/parts/system.ts'
import { layoutOf } from '../layout.ts'
import { unitDirectory } from '../services/systemdUnits.ts'
import { changeableFunction } from '../trustedFolder.ts'
import { databaseScript } from './databaseScript.ts'

/** Programs that are recognized by the names of their processes. */
export const knownPrograms = ['mariadbd', 'mysqld', 'maxscale', 'proxysql', 'haproxy', 'mysqlrouter'] as const

/** Files of the product family's tpm. */
const iniFiles = ['/etc/tungsten/tungsten.ini', '/etc/tungsten.ini']

/** Names of INI options that are read on a host; all others, and so every password, stay there. */
const iniNames = [
  ...['topology', 'master', 'masters', 'relay', 'members', 'slaves', 'replicas', 'connectors', 'witnesses'],
  ...['connector-listen-port', 'connector-readonly-listen-port', 'application-port', 'datasource-port'],
  ...['replication-port', 'replication-user', 'datasource-user'],
]

/** Bytes of an INI file that are read. */
const maxIniBytes = 65_536

/** Default of `install-directory`, where an installation without units is looked for. */
const usualFolder = '/opt/muster'

const iniScript = `
for f in ${iniFiles.join(' ')}; do
  if [ -f "$f" ] && [ ! -L "$f" ] && [ -r "$f" ]; then
    say ini "$f" "$(grep -aEi ${quote(
      `^[[:space:]]*(\\[|(--)?(dataservice[-_])?(${iniNames.join('|').replaceAll('-', '[-_]')})[[:space:]]*=)`,
    )} < "$f" | head -c ${maxIniBytes} | base64 -w0)"
    break
  fi
done`

/** Prints the manifests of installations: of those with units, and of the usual folder. */
const installations = `
set -- ${usualFolder}
for unit in ${unitDirectory}/muster-*.service; do
  [ -f "$unit" ] || continue
  while read -r entry; do
    case $entry in
      ExecStart=\\"/*/current/node\\"\\ *)
        entry=\${entry#ExecStart=\\"}
        set -- "$@" "\${entry%%/current/node\\"*}" ;;
    esac
  done < "$unit"
done
seen=:
for folder; do
  case $seen in *":$folder:"*) continue ;; esac
  seen=$seen$folder:
  manifest=$folder${layoutOf('').manifest}
  [ -f "$manifest" ] || continue
  if [ "$me" = 0 ] && [ -n "$(changeable "$folder")" ]; then say distrusted "$folder"; continue; fi
  say installation "$folder"
  texts "manifest-$folder=$manifest"
done`

/**
 * Returns a POSIX sh script that reads in one round trip what runs on a host, and changes nothing. `mark` starts the
 * parts of what the database says.
 */
export const discoveryScript = (nonce: string, mark: string): string =>
  [
    sharedFunctions(nonce),
    identity,
    changeableFunction,
    'me=$(id -u)',
    'say uid "$me"',
    system,
    listeners,
    `for name in $(cat /proc/[0-9]*/comm 2>/dev/null | grep -xE ${quote(knownPrograms.join('|'))} | head -n 100); do say process "$name"; done`,
    databaseScript(mark),
    `say read-only "$(${configuredReadOnlyScript(undefined)})"`,
    iniScript,
    installations,
    'exit 0\n',
  ].join('\n')
