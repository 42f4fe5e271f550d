import { judgeRoom, neededBytes, roomIn } from '../../judge/directory.ts'
import type { Check } from '../subject.ts'
import { failures, ok, warning } from '../verdict.ts'

/** Whether there is room for an installation, or beside one for the next. */
export const disk: Check = {
  id: 'disk',
  judge: ({ host, facts }) =>
    failures(
      judgeRoom(host, facts),
      facts.installation.freeBytes < neededBytes
        ? warning(
            `${roomIn(host, facts)}: another release and runtime may not fit`,
            'Make room there before the next upgrade.',
          )
        : ok(roomIn(host, facts)),
    ),
}
