import { effect } from '@preact/signals'
import { render } from 'preact'
import { App } from './pages/app.tsx'
import { tick } from './state/clock.ts'
import { linkTo, parsePlace, place } from './state/place.ts'
import { whenLoggedOut } from './state/request.ts'
import { hasPage, readSession, session, useToken } from './state/session.ts'
import { closeStream, openStream } from './state/stream.ts'

/** The one-time token of `muster dashboard`, taken out of the URL before anything can keep it. */
function takeToken(): string | null {
  const token = /^#(?:token=)?([A-Za-z0-9_-]{43})$/.exec(location.hash)?.[1] ?? null
  if (token !== null) history.replaceState(null, '', location.pathname)
  return token
}

const token = takeToken()
place.value = parsePlace(location.hash)
window.addEventListener('hashchange', () => {
  place.value = parsePlace(location.hash)
})
whenLoggedOut(() => void readSession())
effect(() => {
  if (session.value?.state === 'in') openStream(() => void readSession())
  else closeStream()
})
// A server of one cluster may have no page of all.
effect(() => {
  const [first] = session.value?.state === 'in' ? session.value.clusters : []
  if (first === undefined || hasPage('clusters') || place.value.page !== 'clusters') return
  location.replace(linkTo({ page: 'cluster', cluster: first.name }))
})
// One timer for all ages; nobody reads those of a page that is not seen.
setInterval(() => {
  if (!document.hidden) tick()
}, 1000)
document.addEventListener('visibilitychange', tick)
// Asked first: the session is on its way while the page is rendered.
const ready = token === null ? readSession() : useToken(token).then(readSession)
const root = document.getElementById('app')
if (root !== null) render(<App />, root)
await ready
