import { signal } from '@preact/signals'
import type { DashboardEvent } from '../../contracts/dashboard.ts'
import { serverNow, setClock } from './clock.ts'
import { applyEvents, type ClusterState, type Clusters } from './clusters.ts'
import { eventParser } from './eventLines.ts'
import { EventQueue } from './eventQueue.ts'
import { Things } from './things.ts'

/** All clusters, as the stream tells them. */
export const clusters: Clusters = new Things<ClusterState>()

/**
 * The stream: not open yet, open, or cut off. `since` is when it broke off and `heard` the server's last word, both in
 * the server's time.
 */
export const connection = signal<
  | { readonly state: 'opening' | 'open' }
  | { readonly state: 'lost'; readonly since: number; readonly heard: number | null }
>({ state: 'opening' })

/** The server sends a comment every 15 s; a stream that is silent for longer than two of them is dead. */
const silence = 35_000
/** Milliseconds between attempts; the last one repeats. */
const pauses = [250, 1000, 2000, 4000, 8000] as const
/** A cut that heals within this time is not shown. */
const patience = 1000
/**
 * Under a flood of events the page rests between two renderings: this long, and a multiple of what the last one took. A
 * single event is rendered with the next frame.
 */
const rest = { milliseconds: 100, multiple: 3 }

const queue = new EventQueue()
let stop: AbortController | null = null
let retryNow: () => void = () => {}
let lastId: string | null = null

/** Follows the stream until `closeStream`; `onSession` is called when the session may have ended. */
export function openStream(onSession: () => void): void {
  if (stop !== null) return
  stop = new AbortController()
  void follow(stop.signal, onSession)
}

/** Ends the stream and forgets what it told: the next person may see less. */
export function closeStream(): void {
  stop?.abort()
  stop = null
  lastId = null
  queue.take()
  clusters.replace([])
  connection.value = { state: 'opening' }
}

/** Ends the pause before the next attempt. */
export const reconnectNow = (): void => retryNow()

async function follow(ended: AbortSignal, onSession: () => void): Promise<void> {
  let attempt = 0
  /** Time of `performance.now()` at the last word. */
  let heard: number | null = null
  const setLost = (): void => {
    const silentFor = heard === null ? null : performance.now() - heard
    const time = serverNow()
    connection.value = { state: 'lost', since: time, heard: silentFor === null ? null : time - silentFor }
  }
  while (!ended.aborted) {
    const lost = setTimeout(() => {
      if (!ended.aborted && connection.value.state === 'open') setLost()
    }, patience)
    const opened = await readStream(ended, {
      onOpen: () => {
        clearTimeout(lost)
        attempt = 0
        if (connection.value.state === 'lost') connection.value = { state: 'open' }
      },
      onHeard: () => {
        heard = performance.now()
      },
      onSession,
    })
    clearTimeout(lost)
    if (ended.aborted) return
    if (!opened && connection.value.state !== 'lost') setLost()
    await pause(pauses[Math.min(attempt, pauses.length - 1)] ?? 0, ended)
    attempt += 1
  }
}

type Listeners = {
  readonly onOpen: () => void
  readonly onHeard: () => void
  readonly onSession: () => void
}

/** Reads one stream to its end, however it ends; returns false if it could not be opened. */
async function readStream(ended: AbortSignal, listeners: Listeners): Promise<boolean> {
  const silent = new AbortController()
  let timer = setTimeout(() => silent.abort(), silence)
  let opened = false
  try {
    // Not EventSource: it keeps quiet about comments, so a server that died without a word would look well for ever.
    const response = await fetch('events', {
      headers: { Accept: 'text/event-stream', ...(lastId !== null && { 'Last-Event-ID': lastId }) },
      credentials: 'same-origin',
      cache: 'no-store',
      redirect: 'error',
      signal: AbortSignal.any([ended, silent.signal]),
    })
    if (response.status === 401) listeners.onSession()
    if (!response.ok || response.body === null) return false
    opened = true
    listeners.onOpen()
    const parse = eventParser()
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return opened
      clearTimeout(timer)
      timer = setTimeout(() => silent.abort(), silence)
      listeners.onHeard()
      for (const { id, data } of parse(value)) {
        take(JSON.parse(data), listeners.onSession)
        lastId = id
      }
    }
  } catch {
    return opened
  } finally {
    clearTimeout(timer)
    silent.abort()
  }
}

let lastTime = ''

function take(event: DashboardEvent, onSession: () => void): void {
  lastTime = event.time
  if (event.kind === 'session') {
    onSession()
    return
  }
  queue.push(event)
  scheduleRender()
}

let scheduled = false
/** Time of `performance.now()` before which nothing is rendered. */
let nextRender = 0

/** A page that is not seen gets no frames; it is brought up to date twice a second, for its title. */
function scheduleRender(): void {
  if (scheduled) return
  scheduled = true
  const wait = document.hidden ? 500 : nextRender - performance.now()
  if (wait > 0) setTimeout(render, wait)
  else requestAnimationFrame(render)
}

function render(): void {
  scheduled = false
  const begun = performance.now()
  nextRender = begun + rest.milliseconds
  setClock(lastTime)
  applyEvents(clusters, queue.take())
  // The components have rendered and the browser has painted by then.
  requestAnimationFrame(() =>
    setTimeout(() => {
      const end = performance.now()
      nextRender = end + Math.max(rest.milliseconds, rest.multiple * (end - begun))
    }),
  )
  if (connection.value.state === 'opening') connection.value = { state: 'open' }
}

/** Waits, and no longer than until somebody asks for the next attempt or the machine is online again. */
async function pause(milliseconds: number, ended: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, milliseconds)
    retryNow = () => {
      clearTimeout(timer)
      resolve()
    }
    window.addEventListener('online', retryNow, { once: true, signal: ended })
    ended.addEventListener('abort', retryNow, { once: true })
  })
}
