import { shortListOf } from '../../../base/words.ts'
import { isMachineId, otherMachine } from '../../hostIdentity.ts'
import type { Check } from '../subject.ts'
import { failure, ok, warning } from '../verdict.ts'

const makeOne = `if [ ! -s /etc/machine-id ]; then
  if command -v systemd-machine-id-setup >/dev/null 2>&1; then systemd-machine-id-setup
  else dbus-uuidgen --ensure=/etc/machine-id
  fi
fi`

/** Whether the host is the machine that was installed, and no other has its machine-id: clones often share theirs. */
export const machineId: Check = {
  id: 'machine-id',
  judge: ({ host, facts }, { subjects, machines }) => {
    const id = facts.machineId
    const other = otherMachine({ host, facts, machines })
    if (other !== undefined) return failure(other.message, other.fix)
    if (!isMachineId(id)) {
      return warning(
        id === '' ? 'it has no /etc/machine-id' : '/etc/machine-id there is no machine-id',
        'Run `systemd-machine-id-setup` there (`dbus-uuidgen --ensure=/etc/machine-id` without systemd): by it muster notices when another machine answers at the address.',
        id === '' && facts.uid === 0 ? { summary: 'make a machine-id', script: makeOne } : undefined,
      )
    }
    const same = subjects.filter((other) => other.facts.machineId === id).map((other) => other.host.name)
    if (same.length === 1) return ok(id)
    return warning(
      `${shortListOf(same)} have the same machine-id: they are clones, or one machine under several names`,
      'On a clone: `rm /etc/machine-id && systemd-machine-id-setup`, then reboot it. One machine needs one entry in the file.',
    )
  },
}
