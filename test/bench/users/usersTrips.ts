import type { Lab, LabHost } from '../../lab/support/labTypes.ts'
import { type FarHost, far, farHost, hideNode, tripsOf } from '../deploy/farHost.ts'

const rounds = 5
const limit = 12

const passwords = ['bench-Kd83hWq0xV', 'bench-Pz62mRt5sN'] as const

/** A password that is changed and proved, nothing to change, and all logins verified; then all is taken away. */
async function roundOn(host: FarHost) {
  host.operator.write('ops-pass', passwords[0])
  await host.muster(['install'])
  host.operator.write('ops-pass', passwords[1])
  const change = await host.muster(['users', 'apply'], 'reset the password of ops')
  const noOp = await host.muster(['users', 'apply'], 'nothing to do')
  const verify = await host.muster(['users', 'verify'], '6 logins proved')
  await host.muster(['uninstall', '--purge'])
  return { change, noOp, verify }
}

/** Round trips of one host, as `roundTrips` of the deployment measures them. */
export async function usersTrips(lab: Lab, host: LabHost): Promise<object> {
  await hideNode(host)
  const defaults = '  rest-api-users: { ops: !file ops-pass }\n'
  const near = await farHost(lab, host, { delay: 0, defaults })
  const away = await farHost(lab, host, { delay: far, defaults })
  try {
    const pairs: {
      near: Awaited<ReturnType<typeof roundOn>>
      away: Awaited<ReturnType<typeof roundOn>>
    }[] = []
    for (let round = 0; round < rounds; round += 1) {
      pairs.push({ near: await roundOn(near), away: await roundOn(away) })
    }
    const of = (what: 'change' | 'noOp' | 'verify'): object =>
      tripsOf(
        pairs.map((pair) => ({ near: pair.near[what], away: pair.away[what] })),
        limit,
      )
    return { apply: of('change'), applyNothing: of('noOp'), verify: of('verify') }
  } finally {
    await near.close()
    await away.close()
  }
}
