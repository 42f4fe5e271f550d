import { judgeSocketPath, judgeWritable } from '../../judge/directory.ts'
import type { Check } from '../subject.ts'
import { failures, ok } from '../verdict.ts'

/** Whether the install-directory can be made and written, and its sockets opened. */
export const directory: Check = {
  id: 'directory',
  judge: ({ host, facts }, { config }) =>
    failures(
      [...judgeWritable(host, facts), ...judgeSocketPath(host, facts, config.cluster)],
      ok(`${host.installDirectory} ${facts.installation.exists ? 'can be written' : 'can be made'}`),
    ),
}
