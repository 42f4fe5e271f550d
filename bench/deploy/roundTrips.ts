import type { Lab, LabHost } from '../../test/lab/support/labTypes.ts'
import { type FarHost, tripsOverLines } from './farHost.ts'

/** An installation, then a run that changes nothing; all is taken away again. */
async function round(host: FarHost) {
  const installation = await host.muster(['install'])
  const noOp = await host.muster(['install'], 'nothing to do')
  await host.muster(['uninstall', '--purge'])
  return { installation, noOp }
}

/**
 * Round trips of one host. The limits are those of the built-in client; the system's ssh takes three more
 * (docs/guide/ssh.md). On a busy machine only the least of `counted` says something.
 */
export const roundTrips = (lab: Lab, host: LabHost): Promise<object> =>
  tripsOverLines({
    ...{ lab, host, round },
    limits: [
      ['noOp', 10],
      ['installation', 12],
    ],
  })
