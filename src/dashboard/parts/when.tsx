import { useComputed } from '@preact/signals'
import { now } from '../state/clock.ts'
import { localText, spanText, utcText } from '../text/times.ts'

/** A time in the viewer's zone; in UTC for a mouse and for a screen reader. */
export function When({ at }: { readonly at: string }) {
  const text = useComputed(() => localText(at, now.value))
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
  const text = useComputed(() => spanText(now.value - Date.parse(since)))
  return (
    <time dateTime={since} title={utcText(since)}>
      {text}
    </time>
  )
}
