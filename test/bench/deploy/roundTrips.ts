import type { Lab, LabHost } from '../../lab/support/labTypes.ts'
import { type FarHost, far, farHost, hideNode, tripsOf } from './farHost.ts'

const rounds = 5

/** An installation, then a run that changes nothing; all is taken away again. */
async function roundOn(host: FarHost) {
  const installation = await host.muster(['install'])
  const noOp = await host.muster(['install'], 'nothing to do')
  await host.muster(['uninstall', '--purge'])
  return { installation, noOp }
}

/**
 * Round trips of one host: by how much longer a run takes over a line whose round trip takes 200 ms than over one that
 * takes none; and as the proxy counts them, with that of TCP. The runtime weighs two hundred bytes: what the bytes
 * take is not counted, and waiting for services takes as long over either line.
 */
export async function roundTrips(lab: Lab, host: LabHost): Promise<object> {
  await hideNode(host)
  const [near, away] = [await farHost(lab, host, { delay: 0 }), await farHost(lab, host, { delay: far })]
  try {
    const pairs: {
      near: Awaited<ReturnType<typeof roundOn>>
      away: Awaited<ReturnType<typeof roundOn>>
    }[] = []
    for (let round = 0; round < rounds; round += 1) {
      pairs.push({ near: await roundOn(near), away: await roundOn(away) })
    }
    const of = (what: 'installation' | 'noOp', limit: number): object =>
      tripsOf(
        pairs.map((pair) => ({ near: pair.near[what], away: pair.away[what] })),
        limit,
      )
    return { noOp: of('noOp', 10), installation: of('installation', 16) }
  } finally {
    await near.close()
    await away.close()
  }
}
