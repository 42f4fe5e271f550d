import { judgeListeners } from '../../judge/listeners.ts'
import type { Check } from '../subject.ts'
import { failures, ok } from '../verdict.ts'

/** Whether the host has the addresses that its components listen on. */
export const addresses: Check = {
  id: 'addresses',
  judge: ({ host, facts }, { config }) =>
    failures(
      judgeListeners(host, facts, config.cluster).filter(({ code }) => code === 'address-not-here'),
      ok(facts.addresses.join(', ')),
    ),
}
