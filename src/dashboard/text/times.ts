const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

/** Writes a span of time in its largest units: `12 s`, `3 min`, `2 h 5 min`, `4 d 3 h`, `75 d`. */
export function spanText(milliseconds: number): string {
  const span = Math.max(0, milliseconds)
  if (span < minute) return `${Math.floor(span / second)} s`
  if (span < hour) return `${Math.floor(span / minute)} min`
  if (span < day) return two(span, [hour, 'h'], [minute, 'min'])
  if (span < 10 * day) return two(span, [day, 'd'], [hour, 'h'])
  return `${Math.floor(span / day)} d`
}

type Unit = readonly [length: number, name: string]

function two(span: number, [large, largeName]: Unit, [small, smallName]: Unit): string {
  const rest = Math.floor((span % large) / small)
  const whole = `${Math.floor(span / large)} ${largeName}`
  return rest === 0 ? whole : `${whole} ${rest} ${smallName}`
}

/** Writes how long something takes: `0.14 s`, `3.2 s`, `12 s`, `1 min 33 s`. */
export const durationText = (seconds: number): string => {
  if (seconds < 1) return `${seconds.toFixed(2)} s`
  if (seconds < 10) return `${seconds.toFixed(1)} s`
  const span = seconds * second
  return span < hour && span >= minute ? two(span, [minute, 'min'], [second, 's']) : spanText(span)
}

/** Whole days until a time; negative once it has passed. */
export const daysUntil = (time: string, now: number): number => Math.floor((Date.parse(time) - now) / day)

/** Writes the days that are left: `ended 3 days ago`, `ends today`, `1 day`, `75 days`. */
export function daysText(days: number): string {
  if (days < 0) return `ended ${-days === 1 ? '1 day' : `${-days} days`} ago`
  if (days === 0) return 'ends today'
  return days === 1 ? '1 day' : `${days} days`
}

const two2 = (value: number): string => String(value).padStart(2, '0')

/** Writes a time in the viewer's zone: `14:03:22` for the same day, else `2026-11-23 14:03:22`. */
export function localText(time: string, now: number): string {
  const at = new Date(time)
  if (Number.isNaN(at.getTime())) return 'unknown time'
  const today = new Date(now)
  const date = `${at.getFullYear()}-${two2(at.getMonth() + 1)}-${two2(at.getDate())}`
  const clock = `${two2(at.getHours())}:${two2(at.getMinutes())}:${two2(at.getSeconds())}`
  const sameDay =
    at.getFullYear() === today.getFullYear() &&
    at.getMonth() === today.getMonth() &&
    at.getDate() === today.getDate()
  return sameDay ? clock : `${date} ${clock}`
}

/** Writes a time in UTC: `2026-11-23 13:03:22 UTC`. */
export function utcText(time: string): string {
  const at = new Date(time)
  if (Number.isNaN(at.getTime())) return 'unknown time'
  return `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`
}
