import { quote } from '../../../base/shellWords.ts'
import { counted } from '../../../base/words.ts'
import { otherInstallation } from '../../otherInstallation.ts'
import type { Check } from '../subject.ts'
import { ok, warning } from '../verdict.ts'

/** Whether runs that were killed left something half-written below the install-directory. */
export const leftovers: Check = {
  id: 'leftovers',
  judge: ({ host, facts, seen }, { config }) => {
    const { leftovers: paths } = seen
    const isOthers = otherInstallation({ cluster: config.cluster, host, facts }) !== undefined
    if (paths.length === 0 || isOthers) return ok('none of ours')
    const [first = ''] = paths
    const named = paths.length === 1 ? first : `${first} and ${paths.length - 1} more`
    const what = counted(paths.length, 'leftover')
    return warning(
      `${host.installDirectory} has ${what} of interrupted runs: ${named}`,
      'Nothing uses them: remove them, or let `muster check --fix` do it.',
      {
        summary: `remove ${what} of interrupted runs`,
        script: `cd ${quote(host.installDirectory)} && rm -rf -- ${paths.map(quote).join(' ')}`,
      },
    )
  },
}
