import { StartError } from '../../api/startError.ts'
import { quote } from '../../base/shellWords.ts'
import type { ServerGtids } from '../../contracts/provisioning.ts'
import {
  type GtidSet,
  gtidText,
  isWrittenBy,
  missingGtids,
  readMariadbGtids,
  readMysqlGtids,
} from '../databases/gtidSet.ts'
import type { Engine, OwnDatabase } from './engine.ts'
import { ownPrefix } from './folderScripts.ts'
import { asOwner, runProgram } from './program.ts'

/**
 * Returns the transactions that the binary log of a server has and that of another one does not name; those of the primary
 * itself only come later there. One that was made from a backup names none of before, so that these count, too: rather too many
 * are saved than too few. Throws a `StartError` for what are no GTIDs.
 */
export function ownTransactions(its: ServerGtids, other: ServerGtids): GtidSet | undefined {
  const [has, lacks] = [its, other].map(({ written }) => readMariadbGtids(written) ?? readMysqlGtids(written))
  if (!has || !lacks) throw new StartError('the GTIDs of a server cannot be read')
  const own = missingGtids(has, lacks, (source) => isWrittenBy(other.primary, source))
  return own.ranges.size === 0 ? undefined : own
}

const gone = (gtid: string, { forget }: Engine): string =>
  `its binary logs do not have its own transaction ${gtid} any more; ${forget} on it forgets that`

/**
 * Writes transactions of a server that is stopped as statements to a file of its data folder, which nobody but its owner reads.
 * Returns the path. Rejects with a `StartError`, also where its binary logs do not have the last of them any more.
 */
export async function saveTransactions(
  own: Pick<OwnDatabase, 'folder' | 'owner' | 'engine'>,
  { gtids, index, now }: { readonly gtids: GtidSet; readonly index: string; readonly now: Date },
): Promise<string> {
  const name = `${ownPrefix}own-${now.toISOString().replace(/[-:]|\.\d+/g, '')}.sql`
  const parts = [...gtids.ranges].map(([source, ranges]) => {
    const { script, marks } = own.engine.statements(source, ranges)
    const last = `${source}${/^\d+-\d+$/.test(source) ? '-' : ':'}${ranges.at(-1)?.[1]}`
    const tests = marks.map(
      (it) => `grep -qF -- ${quote(it)} part || { echo ${quote(gone(last, own.engine))} >&2; exit 1; }`,
    )
    return `${script}\n${tests.join('\n')}\ncat part >> ${quote(name)}`
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
