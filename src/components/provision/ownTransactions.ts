import { StartError } from '../../api/startError.ts'
import { quote } from '../../base/shellWords.ts'
import type { ServerGtids } from '../../contracts/provisioning.ts'
import { type GtidSet, gtidText, missingGtids, readMariadbGtids } from '../databases/gtidSet.ts'
import { ownPrefix } from './folderScripts.ts'
import { askServer, asOwner, runProgram, type Server } from './program.ts'

/** Reads the GTIDs of the server of this host. Rejects with a `StartError`. */
export async function readGtids(own: Server): Promise<ServerGtids> {
  const [state, channels] = await Promise.all([
    askServer(own, 'SELECT @@server_id, @@gtid_binlog_state'),
    askServer(own, 'SHOW ALL SLAVES STATUS\\G', ['--column-names']),
  ])
  const [id = '', written = ''] = state.trimEnd().split('\t')
  const [, source] = /^ *Master_Server_Id: ([1-9]\d*)$/m.exec(channels) ?? []
  return { written, primary: Number(source ?? id) }
}

/**
 * Returns the transactions that the binary log of a server has and that of another one does not name; those of the primary
 * itself only come later there. One that was made from a backup names none of before, so that these count, too: rather too many
 * are saved than too few. Throws a `StartError` for what are no GTIDs.
 */
export function ownTransactions(its: ServerGtids, other: ServerGtids): GtidSet | undefined {
  const [has, lacks] = [its, other].map(({ written }) => readMariadbGtids(written))
  if (!has || !lacks) throw new StartError('the GTIDs of a server cannot be read')
  const own = missingGtids(has, lacks, (source) => source.endsWith(`-${other.primary}`))
  return own.ranges.size === 0 ? undefined : own
}

const gone = (gtid: string): string =>
  `its binary logs do not have its own transaction ${gtid} any more; RESET MASTER on it forgets that`

/** Options of mariadb-binlog for the transactions of one server in one domain: exactly those, or more, where the log was purged. */
function waysOf(source: string, from: number): readonly (readonly string[])[] {
  const [domain = '', server = ''] = source.split('-')
  const all = ['--no-defaults', '--verbose', '--loose-skip-gtid-strict-mode', `--server-id=${server}`]
  const exact = [...all, `--do-domain-ids=${domain}`]
  return [from > 1 ? [...exact, `--start-position=${source}-${from - 1}`] : exact, all]
}

/**
 * Writes transactions of a server that is stopped as statements to a file of its data folder, which nobody but its owner reads.
 * Returns the path. Rejects with a `StartError`, also where its binary logs do not have the last of them any more.
 */
export async function saveTransactions(
  own: { readonly folder: string; readonly owner: Parameters<typeof asOwner>[0] },
  { gtids, index, now }: { readonly gtids: GtidSet; readonly index: string; readonly now: Date },
): Promise<string> {
  const name = `${ownPrefix}own-${now.toISOString().replace(/[-:]|\.\d+/g, '')}.sql`
  const parts = [...gtids.ranges].map(([source, ranges]) => {
    const [from, to] = [ranges[0]?.[0] ?? 1, ranges.at(-1)?.[1] ?? 0]
    const tries = waysOf(source, from).map((options) => `mariadb-binlog ${options.join(' ')} "$@" > part`)
    return `${tries.join(' || ')}
grep -q -- '	GTID ${source}-${to} ' part || { echo ${quote(gone(`${source}-${to}`))} >&2; exit 1; }
cat part >> ${quote(name)}`
  })
  // Paths of the index may be relative to the data folder.
  const script = `set -e
umask 077
folder=${quote(`${own.folder}/${ownPrefix}save`)}
rm -rf "$folder"
mkdir "$folder"
trap 'rm -rf "$folder"' EXIT
cd ${quote(own.folder)}
set --
while IFS= read -r log; do set -- "$@" "$(realpath -- "$log")"; done < ${quote(index)}
cd "$folder"
echo ${quote(`-- Transactions of this server that the binary log of the other one does not name: ${gtidText(gtids, 20)}`)} > ${quote(name)}
${parts.join('\n')}
ln -- ${quote(name)} ..
`
  await runProgram(asOwner(own.owner, ['sh', '-c', script]))
  return `${own.folder}/${name}`
}
