import { computed } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { now } from '../state/clock.ts'
import { localText, spanText, utcText } from '../text/times.ts'

/** A time in the viewer's zone; in UTC for a mouse and for a screen reader. */
export function When({ at }: { readonly at: string }) {
  // Not useComputed, which would not see another time until the clock ticks.
  const text = useMemo(() => computed(() => localText(at, now.value)), [at])
  const utc = utcText(at)
  return (
    <time dateTime={at} title={utc}>
      {text}
      <span class="unseen"> ({utc})</span>
    </time>
  )
}

/** How long ago a time was; the time itself for a mouse. */
export function Age({ since }: { readonly since: string }) {
  const text = useMemo(() => computed(() => spanText(now.value - Date.parse(since))), [since])
  return (
    <time dateTime={since} title={utcText(since)}>
      {text}
    </time>
  )
}
