import type { Lab, LabHost } from '../../test/lab/support/labTypes.ts'
import { type FarHost, tripsOverLines } from '../deploy/farHost.ts'

const limit = 12

const passwords = ['bench-Kd83hWq0xV', 'bench-Pz62mRt5sN'] as const

/** A password that is changed and proved, nothing to change, and all logins verified; then all is taken away. */
async function round(host: FarHost) {
  host.operator.write('ops-pass', passwords[0])
  await host.muster(['install'])
  host.operator.write('ops-pass', passwords[1])
  const apply = await host.muster(['users', 'apply'], 'reset the password of ops')
  const applyNothing = await host.muster(['users', 'apply'], 'nothing to do')
  const verify = await host.muster(['users', 'verify'], '6 logins verified')
  await host.muster(['uninstall', '--purge'])
  return { apply, applyNothing, verify }
}

/** Round trips of one host, as `roundTrips` of the deployment measures them. */
export const usersTrips = (lab: Lab, host: LabHost): Promise<object> =>
  tripsOverLines({
    ...{ lab, host, round },
    defaults: '  rest-api-users: { ops: !file ops-pass }\n',
    limits: [
      ['apply', limit],
      ['applyNothing', limit],
      ['verify', limit],
    ],
  })
