import { signal } from '@preact/signals'

/** Server's time minus `performance.now()`; null before its first word. The viewer's own clock may be wrong. */
let offset: number | null = null

/** The server's time in milliseconds, whole seconds; all ages follow this one signal. */
export const now = signal(Date.now())

/** The same in steps of ten seconds, for pictures whose left edge moves. */
export const coarseNow = signal(Date.now())

/** Sets the clock by the time of an event. */
export function setClock(time: string): void {
  const server = Date.parse(time)
  if (Number.isNaN(server)) return
  offset = server - performance.now()
  tick()
}

export const serverNow = (): number => (offset === null ? Date.now() : offset + performance.now())

/** Takes the time anew. */
export function tick(): void {
  const time = serverNow()
  now.value = Math.floor(time / 1000) * 1000
  coarseNow.value = Math.floor(time / 10_000) * 10_000
}
