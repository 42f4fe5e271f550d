import { useComputed } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { now } from '../state/clock.ts'
import { linkTo, type Place, place } from '../state/place.ts'
import { hasPage, logOut, session } from '../state/session.ts'
import { connection, reconnectNow } from '../state/stream.ts'
import { localText, utcText } from '../text/times.ts'
import { shown } from '../text/words.ts'

/** Frame of all pages: where one is, where one can go, who is logged in. */
export const Shell = ({ children }: { readonly children: ComponentChildren }) => (
  <>
    {/* No link: the fragment of the URL is the place. */}
    <button class="skip" type="button" onClick={() => document.getElementById('main')?.focus()}>
      Skip to the content
    </button>
    <header class="top">
      <a class="brand" href={linkTo({ page: 'clusters' })}>
        <img src="icon.svg" alt="" width="20" height="20" />
        muster
      </a>
      <Navigation />
      <Person />
    </header>
    <Cut />
    <main id="main" tabIndex={-1}>
      {children}
    </main>
    <footer class="foot">
      <p>Times are in your time zone; point at one to see it in UTC.</p>
    </footer>
  </>
)

const clusterPages = [
  { page: 'cluster', title: 'Overview' },
  { page: 'users', title: 'Users' },
  { page: 'certificates', title: 'Certificates' },
  { page: 'runs', title: 'Runs' },
] as const

function Navigation() {
  if (session.value?.state !== 'in') return null
  const at = place.value
  const cluster = 'cluster' in at ? at.cluster : null
  return (
    <nav aria-label="Pages">
      <ul>
        {hasPage('clusters') && (
          <li>
            <PageLink to={{ page: 'clusters' }} title="Clusters" isHere={at.page === 'clusters'} />
          </li>
        )}
        {cluster !== null && <li class="where">{shown(cluster)}</li>}
        {cluster !== null &&
          clusterPages
            .filter(({ page }) => hasPage(page))
            .map(({ page, title }) => (
              <li>
                <PageLink to={{ page, cluster }} title={title} isHere={at.page === page} />
              </li>
            ))}
      </ul>
    </nav>
  )
}

const PageLink = ({
  to,
  title,
  isHere,
}: {
  readonly to: Exclude<Place, { readonly page: 'unknown' }>
  readonly title: string
  readonly isHere: boolean
}) => (
  <a href={linkTo(to)} aria-current={isHere ? 'page' : undefined}>
    {title}
  </a>
)

function Person() {
  const value = session.value
  if (value?.state !== 'in') return null
  const at = place.value
  const own = value.clusters.find(({ name }) => 'cluster' in at && name === at.cluster)
  const login = own ?? value.clusters.find(({ user }) => user !== null)
  return (
    <div class="person">
      {login?.user != null && (
        <span>
          {shown(login.user)} <span class="muted">({login.access})</span>
        </span>
      )}
      <button type="button" onClick={() => void logOut()}>
        Log out
      </button>
    </div>
  )
}

/** Tells while the page is cut off, since when, and how old what it shows is. */
function Cut() {
  const text = useComputed(() => {
    const it = connection.value
    if (it.state !== 'lost') return ''
    const at = (time: number): string => localText(new Date(time).toISOString(), now.value)
    const shownState =
      it.heard === null ? 'Nothing was received yet.' : `Shown is the state of ${at(it.heard)}.`
    return `Not connected since ${at(it.since)}. ${shownState}`
  })
  return (
    <div role="status" class={text.value === '' ? 'unseen' : 'cut'}>
      {text.value !== '' && (
        <>
          <span
            title={
              connection.value.state === 'lost' ? utcText(new Date(connection.value.since).toISOString()) : ''
            }
          >
            {text}
          </span>
          <button type="button" onClick={reconnectNow}>
            Try again now
          </button>
        </>
      )}
    </div>
  )
}
