import { isReachedLocally } from '../../config/model.ts'
import { type Check, ok } from './checkContract.ts'

/** Login of muster; a host that refuses it is not checked further. */
export const loginCheck: Check = {
  id: 'login',
  describe: ({ host, facts }) =>
    ok(isReachedLocally(host) ? `this machine, as ${facts.login}` : `${facts.login} at ${host.address}`),
}
