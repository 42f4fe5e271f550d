import { isReachedLocally } from '../../../config/isReachedLocally.ts'
import type { Check } from '../subject.ts'
import { ok } from '../verdict.ts'

/** Whether muster gets in; a host where it does not is never judged further. */
export const login: Check = {
  id: 'login',
  judge: ({ host, facts }) =>
    ok(isReachedLocally(host) ? `this machine, as ${facts.login}` : `${facts.login} at ${host.address}`),
}
