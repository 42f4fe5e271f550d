import { listOf } from '../../base/words.ts'
import { type Check, ok, warning } from './checkContract.ts'

/** Checks that what is installed reaches the managers of other hosts at their `cluster-port`. */
export const channelCheck: Check = {
  id: 'channel',
  describe: ({ host, channels = [] }, { subjects }) => {
    if (channels.length === 0) return ok('not checked: nothing installed here calls managers of other hosts')
    const bad = channels.flatMap(({ host: other, port, error }) => {
      if (error === undefined) return []
      const firewall = subjects.find((it) => it.host.name === other)?.observed.firewall
      const active = firewall === undefined ? '' : ` ${firewall.kind} is active there.`
      return warning(
        `does not reach the manager of ${other} at its cluster-port ${port}: ${error}${active}`,
        `Start the manager of ${other}, and let ${host.name} through to that port.`,
      )
    })
    if (bad.length > 0) return bad
    return ok(`reaches the managers of ${listOf(channels.map((it) => it.host))}`)
  },
}
