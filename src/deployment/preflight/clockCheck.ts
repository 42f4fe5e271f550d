import { backdateMs } from '../../certificates/profile.ts'
import { type Check, failure, ok, warning } from './checkContract.ts'

/** Tolerated clock offset in milliseconds; a larger one shows in lag and in logs side by side. */
const toleranceMs = 2_000

/** Compares the host's clock with the other hosts, and with this machine, which issues the certificates. */
export const clockCheck: Check = {
  id: 'clock',
  describe: ({ observed }, { subjects }) => {
    const synchronise =
      'Synchronize the clock there with chrony or systemd-timesyncd (`timedatectl set-ntp true`).'
    if (observed.clockOffset < -backdateMs) {
      return failure(
        `its clock is ${formatDuration(-observed.clockOffset)} behind this machine: certificates issued here would not be valid there yet`,
        synchronise,
      )
    }
    const off = observed.clockOffset - median(subjects.map((subject) => subject.observed.clockOffset))
    if (Math.abs(off) <= toleranceMs) return ok(`${(Math.abs(off) / 1000).toFixed(1)} s off`)
    return warning(
      `its clock is ${formatDuration(Math.abs(off))} ${off > 0 ? 'ahead of' : 'behind'} the median of the hosts: lag, log times and certificate expiry would be wrong there`,
      synchronise,
    )
  },
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  const upper = sorted[Math.floor(sorted.length / 2)] ?? 0
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? upper
  return (lower + upper) / 2
}

/** Formats a duration in its largest fitting unit, such as `2.0 hours`. */
function formatDuration(milliseconds: number): string {
  const units = [
    [86_400_000, 'days'],
    [3_600_000, 'hours'],
    [60_000, 'minutes'],
  ] as const
  const [size, name] = units.find(([unit]) => milliseconds >= 1.5 * unit) ?? [1000, 's']
  return `${(milliseconds / size).toFixed(1)} ${name}`
}
