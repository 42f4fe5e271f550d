import { judgeMoved } from '../../judge/moved.ts'
import { otherInstallation } from '../../otherInstallation.ts'
import type { Check } from '../subject.ts'
import { failures, ok } from '../verdict.ts'

/** Whether the install-directory is free of other clusters, and still the one of this installation. */
export const installation: Check = {
  id: 'installation',
  judge: ({ host, facts }, { config }) => {
    const other = otherInstallation({ cluster: config.cluster, host, facts })
    const { currentRelease } = facts.installation
    return failures(
      other === undefined ? judgeMoved(host, facts, config.cluster) : [other],
      ok(currentRelease === undefined ? 'nothing is installed yet' : `${currentRelease} is installed`),
    )
  },
}
