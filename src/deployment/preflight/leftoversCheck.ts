import { quote } from '../../base/shellWords.ts'
import { counted } from '../../base/words.ts'
import { foreignInstallation } from '../hostIdentity.ts'
import { type Check, ok, warning } from './checkContract.ts'

/** Finds partial files and folders below the install-directory, left by killed runs. */
export const leftoversCheck: Check = {
  id: 'leftovers',
  describe: (subject) => {
    const { host, observed } = subject
    const paths = observed.leftovers
    if (paths.length === 0 || foreignInstallation(subject) !== undefined) return ok('none')
    const [first = ''] = paths
    const named = paths.length === 1 ? first : `${first} and ${paths.length - 1} more`
    const count = counted(paths.length, 'leftover')
    return warning(
      `${host.installDirectory} has ${count} of interrupted runs: ${named}`,
      'Remove them, or run `muster check --fix`: nothing uses them.',
      {
        summary: `remove ${count} of interrupted runs`,
        script: `cd ${quote(host.installDirectory)} && rm -rf -- ${paths.map(quote).join(' ')}`,
      },
    )
  },
}
