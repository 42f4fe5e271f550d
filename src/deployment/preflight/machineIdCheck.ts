import { shortListOf } from '../../base/words.ts'
import { isMachineId, machineChanged } from '../hostIdentity.ts'
import { type Check, failures, ok, warning } from './checkContract.ts'

/** Checks that the machine-id is that of the installed machine, and of no other host. Clones often share theirs. */
export const machineIdCheck: Check = {
  id: 'machine-id',
  // An installation refuses another machine right after it has read the facts: survey.ts.
  describe: ({ host, facts }, { subjects, machines }) => {
    const id = facts.machineId
    const other = machineChanged({ host, facts, machines })
    if (other !== undefined) return failures([other])
    if (!isMachineId(id)) {
      return warning(
        id === '' ? 'it has no /etc/machine-id' : 'its /etc/machine-id is not a valid machine-id',
        'Run `systemd-machine-id-setup` there (`dbus-uuidgen --ensure=/etc/machine-id` without systemd). By this id muster notices when another machine answers at the address.',
        id === '' && facts.uid === 0
          ? { summary: 'create a machine-id', script: createMachineId }
          : undefined,
      )
    }
    const same = subjects.filter((one) => one.facts.machineId === id).map((one) => one.host.name)
    if (same.length === 1) return ok(id)
    return warning(
      `${shortListOf(same)} have the same machine-id: they are clones, or one machine under several names`,
      'On a clone, run `rm /etc/machine-id && systemd-machine-id-setup`, then reboot it. One machine needs only one entry in the file.',
    )
  },
}

const createMachineId = `if [ ! -s /etc/machine-id ]; then
  if command -v systemd-machine-id-setup >/dev/null 2>&1; then systemd-machine-id-setup
  else dbus-uuidgen --ensure=/etc/machine-id
  fi
fi`
