import type { Signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { Pill } from '../parts/pill.tsx'
import type { Sign } from '../text/signs.ts'
import { count, shown } from '../text/words.ts'
import type { Outcome } from './callApi.ts'

const signs: Readonly<Record<Outcome['state'], Sign>> = {
  done: { word: 'done', icon: 'check', tone: 'good' },
  unchanged: { word: 'was so already', icon: 'check', tone: 'idle' },
  incomplete: { word: 'not complete', icon: 'alert', tone: 'warn' },
  failed: { word: 'failed', icon: 'cross', tone: 'bad' },
}

type Props = {
  readonly title: string
  readonly outcomes: Signal<readonly Outcome[]>
  readonly called: number
  readonly onClose: () => void
}

/** What an operation did on each host. */
export function Outcomes({ title, outcomes, called, onClose }: Props) {
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => button.current?.focus(), [])
  const arrived = outcomes.value
  const failed = arrived.filter(({ state }) => state === 'failed').length
  const incomplete = arrived.filter(({ state }) => state === 'incomplete').length
  return (
    <div class="stack">
      <p role="status">
        <strong>{title}</strong>:{' '}
        {arrived.length < called
          ? `${arrived.length} of ${count(called, 'host')} answered…`
          : failed > 0
            ? `failed on ${failed} of ${count(called, 'host')}.`
            : `done on ${count(called, 'host')}${incomplete > 0 ? `, not complete on ${incomplete}` : ''}.`}
      </p>
      <ul class="outcomes">
        {arrived.map(({ host, state, detail }) => (
          <li key={host}>
            <strong>{shown(host)}</strong> <Pill sign={signs[state]} /> <span class="grow">{detail}</span>
          </li>
        ))}
      </ul>
      <div class="buttons">
        <button type="button" ref={button} onClick={onClose}>
          Close
        </button>
      </div>
    </div>
  )
}
