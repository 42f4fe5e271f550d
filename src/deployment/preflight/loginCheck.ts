import { isReachedLocally } from '../../config/model.ts'
import { type Check, ok } from './checkContract.ts'

/** Checks the login of muster; no further check runs on a host that refuses it. */
export const loginCheck: Check = {
  id: 'login',
  describe: ({ host, facts }) =>
    ok(isReachedLocally(host) ? `this machine, as ${facts.login}` : `${facts.login} at ${host.address}`),
}
