import { effect, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { clusters } from '../state/stream.ts'
import { verdictSigns } from '../text/signs.ts'
import { shown } from '../text/words.ts'

/** Milliseconds between two announcements: a cluster that flaps must not talk without end. */
const interval = 3000

/** Tells a screen reader each change of a verdict, and not the first. */
export function Announcer() {
  const text = useSignal('')
  useEffect(() => {
    const known = new Map<string, string>()
    let timer: ReturnType<typeof setTimeout> | undefined
    const waiting = new Map<string, string>()
    const say = (): void => {
      timer = undefined
      text.value = [...waiting.values()].join(' ')
      waiting.clear()
    }
    const stop = effect(() => {
      for (const { name, verdict } of clusters.all()) {
        const { level, problems } = verdict.value
        const before = known.get(name)
        known.set(name, level)
        if (before === undefined || before === level) continue
        const why = problems[0] === undefined ? '' : `: ${shown(problems[0].text)}`
        waiting.set(name, `${shown(name)} is ${verdictSigns[level].word}${why}.`)
        timer ??= setTimeout(say, text.peek() === '' ? 0 : interval)
      }
    })
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [text])
  return (
    <div class="unseen" role="status" aria-live="polite">
      {text}
    </div>
  )
}
