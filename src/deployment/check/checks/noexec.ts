import { judgeExecution } from '../../judge/execution.ts'
import type { Check } from '../subject.ts'
import { failures, ok } from '../verdict.ts'

/** Whether a Node.js that is sent could be run where it is put. */
export const noexec: Check = {
  id: 'noexec',
  judge: ({ host, facts }) =>
    failures(
      judgeExecution(host, facts),
      ok(
        facts.installation.noexec
          ? "mounted with noexec, which the host's own Node.js does not mind"
          : 'programs can be run there',
      ),
    ),
}
