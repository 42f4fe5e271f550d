import { listensOf } from '../../desired/listens.ts'
import { judgeListeners } from '../../judge/listeners.ts'
import type { Check } from '../subject.ts'
import { failures, ok } from '../verdict.ts'

/** Whether each port that the components open is free, or ours already. */
export const ports: Check = {
  id: 'ports',
  judge: ({ host, facts }, { config }) => {
    const wanted = host.apis.flatMap((api) => listensOf(host, api)).map(({ port }) => port)
    return failures(
      judgeListeners(host, facts, config.cluster).filter(({ code }) => code !== 'address-not-here'),
      ok(wanted.length === 0 ? 'none is opened' : `${wanted.join(', ')}: free or ours`),
    )
  },
}
