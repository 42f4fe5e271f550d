import { effect, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Verdict } from '../../contracts/clusterPicture.ts'
import { session } from '../state/session.ts'
import { clusters } from '../state/stream.ts'
import { verdictSigns } from '../text/signs.ts'
import { shown } from '../text/words.ts'

/** Milliseconds between two announcements: a cluster that flaps must not talk without end. */
const interval = 3000

/** Milliseconds after which what was said is taken away: it is not the state of now for ever. */
const shelfLife = 10_000

/** Names what a verdict is about; a lag or a count that changes says nothing new. */
function gist({ level, problems: [first] }: Verdict): string {
  return JSON.stringify([level, first && { ...first, text: first.text.replaceAll(/\d+/g, '') }])
}

/** Tells a screen reader each change of a verdict or of its worst problem, and not the first. */
export function Announcer() {
  const text = useSignal('')
  useEffect(() => {
    const known = new Map<string, string>()
    let timer: ReturnType<typeof setTimeout> | undefined
    let cleaner: ReturnType<typeof setTimeout> | undefined
    const waiting = new Map<string, string>()
    const say = (): void => {
      timer = undefined
      text.value = [...waiting.values()].join(' ')
      waiting.clear()
      clearTimeout(cleaner)
      cleaner = setTimeout(() => {
        text.value = ''
      }, shelfLife)
    }
    const forget = (): void => {
      clearTimeout(timer)
      clearTimeout(cleaner)
      timer = undefined
      text.value = ''
      waiting.clear()
      known.clear()
    }
    const stop = effect(() => {
      // Whoever comes after the session hears nothing of the cluster.
      if (session.value?.state !== 'in') {
        forget()
        return
      }
      for (const { name, verdict } of clusters.all()) {
        const { level, problems } = verdict.value
        const before = known.get(name)
        const now = gist(verdict.value)
        known.set(name, now)
        if (before === undefined || before === now) continue
        const why = problems[0] === undefined ? '' : `: ${shown(problems[0].text)}`
        waiting.set(name, `${shown(name)} is ${verdictSigns[level].word}${why}.`)
        timer ??= setTimeout(say, text.peek() === '' ? 0 : interval)
      }
    })
    return () => {
      stop()
      forget()
    }
  }, [text])
  return (
    <div class="unseen" role="status" aria-live="polite">
      {text}
    </div>
  )
}
