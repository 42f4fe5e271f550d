import { useComputed, useSignalEffect } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { ActionDialog } from '../actions/actionDialog.tsx'
import { Announcer } from '../parts/announcer.tsx'
import { Heading } from '../parts/heading.tsx'
import { LoginForm } from '../parts/loginForm.tsx'
import { Shell } from '../parts/shell.tsx'
import { linkTo, place } from '../state/place.ts'
import { hasPage, readSession, session, sessionProblem, wasLoggedIn } from '../state/session.ts'
import { clusters, connection } from '../state/stream.ts'
import { verdictSigns } from '../text/signs.ts'
import { shown } from '../text/words.ts'
import { CertificatesPage } from './certificatesPage.tsx'
import { ClusterPage } from './clusterPage.tsx'
import { ClustersPage } from './clustersPage.tsx'
import { ExplainPage } from './explainPage.tsx'
import { HostPage } from './hostPage.tsx'
import { RunsPage } from './runsPage.tsx'
import { SwitchPage } from './switchPage.tsx'
import { UsersPage } from './usersPage.tsx'

export function App() {
  useSignalEffect(() => {
    document.title = documentTitle()
  })
  return (
    <Shell>
      <Content />
      <Announcer />
      <ActionDialog />
    </Shell>
  )
}

function Content() {
  const value = session.value
  if (value === null) return <NoSession />
  switch (value.state) {
    case 'token':
      return <NoToken />
    case 'login':
      return <Login />
    case 'in':
      return <Page />
  }
}

function NoSession() {
  const problem = sessionProblem.value
  if (problem === null) return <p class="muted">Loading…</p>
  return (
    <section class="card narrow">
      <Heading title="Not connected" />
      <p role="alert">{shown(problem.detail)}</p>
      <button type="button" onClick={() => void readSession()}>
        Try again
      </button>
    </section>
  )
}

const NoToken = () => (
  <section class="card narrow">
    <Heading title="Open the address again" />
    <p>
      Each address that <code>muster dashboard</code> prints opens this page once, in one browser. Use the
      address in your terminal, or start <code>muster dashboard</code> again.
    </p>
  </section>
)

const Login = () => (
  <section class="card narrow">
    <Heading title="Log in" />
    <p>
      {wasLoggedIn.value
        ? 'Your session has ended. Log in again, and you are where you were.'
        : 'Use a user of the REST APIs.'}
    </p>
    <LoginForm />
  </section>
)

function Page() {
  const at = place.value
  switch (at.page) {
    case 'clusters':
      return <Told show={() => <ClustersPage />} />
    case 'explain':
      return <ExplainPage key={at.code} code={at.code} cluster={'cluster' in at ? at.cluster : null} />
    case 'unknown':
      return <NotThere what="this address" />
    default:
      return <Told show={() => <OfCluster />} />
  }
}

/** Shows a page once the stream has told the clusters. */
function Told({ show }: { readonly show: () => ComponentChildren }) {
  const isOpening = useComputed(() => connection.value.state === 'opening')
  return isOpening.value ? <p class="muted">Loading the clusters…</p> : show()
}

/** A page of one cluster; another cluster or host makes a new one, with its own focus. */
function OfCluster() {
  const at = place.value
  if (!('cluster' in at) || at.page === 'explain') return null
  const cluster = clusters.get(at.cluster)
  if (cluster === undefined) return <NoCluster name={at.cluster} />
  if (at.page !== 'switch' && !hasPage(at.page)) return <NotThere what="this address" />
  const key = JSON.stringify(at)
  switch (at.page) {
    case 'cluster':
      return <ClusterPage key={key} cluster={cluster} />
    case 'host':
      return <HostPage key={key} cluster={cluster} host={at.host} />
    case 'users':
      return <UsersPage key={key} cluster={cluster} />
    case 'certificates':
      return <CertificatesPage key={key} cluster={cluster} />
    case 'runs':
      return <RunsPage key={key} cluster={cluster} />
    case 'switch':
      return <SwitchPage key={key} cluster={cluster} service={at.service} />
  }
}

function NoCluster({ name }: { readonly name: string }) {
  const isKnown = session.value?.clusters.some((it) => it.name === name) ?? false
  if (!isKnown) return <NotThere what={`a cluster ${shown(name)}`} />
  return (
    <section class="card narrow">
      <Heading title={`Log in to ${shown(name)}`} />
      <LoginForm cluster={name} />
    </section>
  )
}

const NotThere = ({ what }: { readonly what: string }) => (
  <section class="card narrow">
    <Heading title="Not found" />
    <p>There is no page for {what}.</p>
    <p>
      <a href={linkTo({ page: 'clusters' })}>Show the clusters</a>
    </p>
  </section>
)

const titles: Readonly<Record<string, string>> = {
  clusters: 'Clusters',
  users: 'Users',
  certificates: 'Certificates',
  runs: 'Runs',
  switch: 'Switch',
}

/** Title of the window: the verdict first, since a tab shows little. */
function documentTitle(): string {
  const at = place.value
  if (session.value?.state !== 'in') return `${session.value === null ? 'Loading' : 'Log in'} · muster`
  if (!('cluster' in at))
    return shown([titles[at.page] ?? ('code' in at ? at.code : 'Not found'), 'muster'].join(' · '))
  const level = clusters.get(at.cluster)?.verdict.value.level
  const parts = [
    level === undefined || level === 'ok' ? undefined : verdictSigns[level].word,
    'host' in at ? at.host : 'code' in at ? at.code : titles[at.page],
    at.cluster,
    'muster',
  ]
  return shown(parts.filter((it) => it !== undefined).join(' · '))
}
