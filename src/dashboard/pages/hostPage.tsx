import { useEffect, useRef } from 'preact/hooks'
import type { PictureHost } from '../../contracts/clusterPicture.ts'
import type { HostCertificate, HostDetails, RunEntry } from '../../contracts/dashboard.ts'
import { ActionsButton } from '../actions/actionsButton.tsx'
import { Heading } from '../parts/heading.tsx'
import { Loaded, ReloadButton, useLoaded } from '../parts/loaded.tsx'
import { Pill } from '../parts/pill.tsx'
import { Problems } from '../parts/problems.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { When } from '../parts/when.tsx'
import { type ClusterState, hostOf } from '../state/clusters.ts'
import { componentSigns, connectorSigns, dataSourceSigns, hostSigns } from '../text/signs.ts'
import { shown } from '../text/words.ts'
import { CertificateEnd } from './hostsPart.tsx'
import { RunsTable } from './runsPage.tsx'

type Props = { readonly cluster: ClusterState; readonly host: string }

/** One host: its components, release and certificate, recent runs, and the end of its logs. */
export function HostPage({ cluster, host }: Props) {
  const loaded = useLoaded<HostDetails>('host', { cluster: cluster.name, host })
  return (
    <>
      <Heading title={shown(host)}>
        <HostState cluster={cluster} host={host} />
      </Heading>
      <HostProblems cluster={cluster} host={host} />
      <div class="columns">
        <Components cluster={cluster} host={host} />
        <Databases cluster={cluster} host={host} />
      </div>
      <Loaded
        of={loaded}
        what={`the details of ${host}`}
        show={({ certificate, runs, log }) => (
          <>
            <Certificate certificate={certificate} host={cluster.hosts.get(host)} />
            <Runs runs={runs} />
            <Log log={log} reload={<ReloadButton of={loaded} />} />
          </>
        )}
      />
    </>
  )
}

function HostState({ cluster, host }: Props) {
  const it = cluster.hosts.get(host)
  if (it === undefined) return <p class="muted">This host is not part of the cluster.</p>
  return (
    <>
      <Pill sign={hostSigns[it.state]} large />
      <p class="muted inline">
        <span>{shown(it.address)}</span>
        <span>Release {it.release === null ? 'not known' : shown(it.release)}</span>
        {it.detail !== null && <span class="warn">{shown(it.detail)}</span>}
      </p>
    </>
  )
}

function HostProblems({ cluster, host }: Props) {
  const problems = cluster.verdict.value.problems.filter((problem) => problem.host === host)
  if (problems.length === 0) return null
  return (
    <section aria-labelledby="problems">
      <h2 id="problems">Problems</h2>
      <Problems cluster={cluster.name} problems={problems.map((it) => ({ ...it, host: null }))} />
    </section>
  )
}

const componentColumns: readonly Column[] = [
  { title: 'Component' },
  { title: 'State' },
  { title: 'API' },
  { title: 'Actions', kind: 'actions' },
]

function Components({ cluster, host }: Props) {
  const it = cluster.hosts.get(host)
  if (it === undefined) return null
  return (
    <section class="card" aria-labelledby="components">
      <h2 id="components">Components</h2>
      <Table
        label={`Components of ${shown(host)}`}
        columns={componentColumns}
        keys={it.components.map(({ component }) => component)}
        row={(name) => componentCells(cluster, host, name)}
      />
    </section>
  )
}

function componentCells(cluster: ClusterState, host: string, name: string) {
  const it = cluster.hosts.get(host)
  const found = it?.components.find(({ component }) => component === name)
  if (it === undefined || found === undefined) return []
  const { connector } = it
  return [
    found.component,
    <>
      <Pill sign={componentSigns[found.state]} />
      {found.reason !== null && <span class="sub reason">{shown(found.reason)}</span>}
      {name === 'connector' && connector !== null && (
        <span class="sub">
          <Pill sign={connectorSigns[connector.value]} /> {connector.active} connected, {connector.held}{' '}
          waiting
        </span>
      )}
    </>,
    found.listen === null ? <span class="muted">this host alone</span> : <code>{shown(found.listen)}</code>,
    found.component === 'manager' ? null : (
      <ActionsButton target={{ kind: found.component, cluster: cluster.name, host }} />
    ),
  ]
}

const databaseColumns: readonly Column[] = [
  { title: 'Data source' },
  { title: 'Role' },
  { title: 'State' },
  { title: 'Lag' },
  { title: 'Actions', kind: 'actions' },
]

function Databases({ cluster, host }: Props) {
  const keys = cluster.datasources.keys.value.filter((key) => {
    const it = cluster.datasources.get(key)
    return it !== undefined && hostOf(cluster, it) === host
  })
  if (keys.length === 0) return null
  return (
    <section class="card" aria-labelledby="databases">
      <h2 id="databases">Data sources</h2>
      <Table
        label={`Data sources of ${shown(host)}`}
        columns={databaseColumns}
        keys={keys}
        row={(key) => databaseCells(cluster, key)}
      />
    </section>
  )
}

function databaseCells(cluster: ClusterState, key: string) {
  const it = cluster.datasources.get(key)
  if (it === undefined) return []
  return [
    <>
      {shown(it.name)}
      <span class="sub">service {shown(it.service)}</span>
    </>,
    it.role,
    <>
      <Pill sign={dataSourceSigns[it.state]} />
      {it.reason !== null && <span class="sub reason">{shown(it.reason)}</span>}
    </>,
    it.role === 'primary' ? '–' : it.appliedLatency === null ? 'not known' : `${it.appliedLatency} s`,
    <ActionsButton
      target={{ kind: 'datasource', cluster: cluster.name, service: it.service, name: it.name }}
    />,
  ]
}

const Certificate = ({
  certificate,
  host,
}: {
  readonly certificate: HostCertificate | null
  readonly host: PictureHost | undefined
}) => (
  <section class="card" aria-labelledby="certificate">
    <h2 id="certificate">Certificate</h2>
    {certificate === null ? (
      <p class="muted">Not known.</p>
    ) : (
      <dl class="pairs">
        <dt>Left</dt>
        <dd>
          <CertificateEnd at={certificate.notAfter} host={host} />
        </dd>
        <dt>Valid</dt>
        <dd>
          <When at={certificate.notBefore} /> to <When at={certificate.notAfter} />
        </dd>
        <dt>Subject</dt>
        <dd>{shown(certificate.subject)}</dd>
        <dt>Issuer</dt>
        <dd>{shown(certificate.issuer)}</dd>
        <dt>Names</dt>
        <dd>{shown(certificate.names.join(', '))}</dd>
        <dt>Fingerprint</dt>
        <dd>
          <code>{shown(certificate.fingerprint)}</code>
        </dd>
      </dl>
    )}
  </section>
)

const Runs = ({ runs }: { readonly runs: readonly RunEntry[] }) => (
  <section class="card" aria-labelledby="runs">
    <h2 id="runs">Recent runs</h2>
    {runs.length === 0 ? <p class="muted">None.</p> : <RunsTable label="Recent runs" runs={runs} />}
  </section>
)

type LogProps = { readonly log: HostDetails['log']; readonly reload: preact.ComponentChildren }

const Log = ({ log, reload }: LogProps) => (
  <section class="card" aria-labelledby="log">
    <header class="bar">
      <h2 id="log" class="grow">
        End of the log
      </h2>
      {reload}
    </header>
    {log === null && <p class="muted">This server cannot read the logs of the host.</p>}
    {log?.length === 0 && <p class="muted">No lines.</p>}
    {log !== null && log.length > 0 && <LogLines lines={log} />}
  </section>
)

/** Opens at the newest line, which is the last. */
function LogLines({ lines }: { readonly lines: NonNullable<HostDetails['log']> }) {
  const list = useRef<HTMLOListElement>(null)
  useEffect(() => {
    list.current?.scrollTo(0, list.current.scrollHeight)
  }, [lines])
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a long log scrolls, also with a keyboard
    <ol class="log" aria-labelledby="log" tabIndex={0} ref={list}>
      {lines.map(({ time, component, level, text }) => (
        <li class={level}>
          <When at={time} /> <span class="muted">{shown(component)}</span> <strong>{shown(level)}</strong>{' '}
          <span>{shown(text)}</span>
        </li>
      ))}
    </ol>
  )
}
