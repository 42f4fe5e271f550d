import { printableLine } from '../base/printable.ts'
import { bytesText } from '../base/words.ts'
import { type ProvisionProgress, serverText } from '../contracts/provisioning.ts'
import type { DatabaseHost } from '../deployment/provision.ts'

type Ends = { readonly service: string; readonly from: DatabaseHost; readonly to: DatabaseHost }

/** Writes what would be done: which data go where, and what becomes of the old ones. */
export function provisionPlanText({ service, from, to }: Ends): string {
  const [source, target] = [from.reached.host.name, to.reached.host.name]
  const { folder, free } = to.database
  return `${service}: ${target} is made anew from ${source}
  ${bytesText(from.database.bytes)} of ${serverText(from.database.version)} go to ${printableLine(folder)} of ${target}, where ${bytesText(free)} are free
  ${target} serves nobody until it follows; the old data (${bytesText(to.database.bytes)}) are removed then
${ownText(to)}`
}

function ownText({ database: { gtids, own } }: DatabaseHost): string {
  if (gtids === undefined) {
    return '  its server does not run: transactions of its own, if it has any, are not saved\n'
  }
  return own === undefined
    ? ''
    : `  its own transactions are saved as statements before, in a file there: ${printableLine(own)}\n`
}

export const provisionQuestion = ({ from, to }: Ends): string =>
  `Replace the data of ${to.reached.host.name} by those of ${from.reached.host.name}?`

const steps: Readonly<Record<ProvisionProgress['step'], string>> = {
  receive: 'data arrive beside the old ones',
  prepare: 'what was written meanwhile is applied to them',
  stop: 'it serves nobody, and its server is stopped',
  save: 'its own transactions are saved',
  replace: 'the new data take the place of the old',
  start: 'the server starts with them, read-only',
  follow: 'its manager lets it follow the primary',
  done: 'the old data are removed',
}

/** Writes a step: `prepare: what was written meanwhile is applied to them`. */
export const provisionStepText = ({ step, file }: ProvisionProgress): string =>
  `${step}: ${steps[step]}${file === undefined ? '' : ` to ${printableLine(file)}`}`

/** Writes a time that is left: `40 s`, `12 min`. */
const timeText = (seconds: number): string =>
  seconds < 90 ? `${Math.ceil(seconds)} s` : `${Math.round(seconds / 60)} min`

/** Writes how far the copy is: `1.2 GB of 10 GB, 100 MB/s, 88 s left`. */
export function copiedText(bytes: number, { all, seconds }: { all: number; seconds: number }): string {
  const rate = bytes / Math.max(seconds, 0.001)
  const left = bytes < all && rate > 0 ? `, ${timeText((all - bytes) / rate)} left` : ''
  return `${bytesText(bytes)} of ${bytesText(Math.max(all, bytes))}, ${bytesText(rate)}/s${left}`
}

/** Writes how it ended: `db3 is made anew and ONLINE`, and where its own transactions are. */
export function provisionEndText(
  to: DatabaseHost,
  { state, saved }: { readonly state: string | null; readonly saved: string | null },
): string {
  const { name } = to.reached.host
  const where = saved === null ? '' : `its own transactions are in ${printableLine(saved)} of ${name}\n`
  return `${name} is made anew and ${state ?? 'follows the primary'}\n${where}`
}
