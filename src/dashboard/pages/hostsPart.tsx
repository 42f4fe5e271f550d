import { computed, useComputed } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { componentLevels, type PictureHost } from '../../contracts/clusterPicture.ts'
import { LongTable } from '../parts/longTable.tsx'
import { Pill } from '../parts/pill.tsx'
import { HostLink } from '../parts/problems.tsx'
import type { Column } from '../parts/table.tsx'
import { coarseNow } from '../state/clock.ts'
import type { ClusterState } from '../state/clusters.ts'
import { certificateSign, componentSigns, hostSigns } from '../text/signs.ts'
import { daysText, daysUntil, utcText } from '../text/times.ts'
import { byName, count, shown } from '../text/words.ts'

const columns: readonly Column[] = [
  { title: 'Host' },
  { title: 'State' },
  { title: 'Components' },
  { title: 'Release' },
  { title: 'Certificate' },
]

const rank = (host: PictureHost): number => {
  if (host.state !== 'up') return 0
  return host.components.some(({ state }) => componentLevels[state] !== 'ok') ? 1 : 2
}

/** All hosts of a cluster, those in trouble first. */
export function HostsPart({ cluster }: { readonly cluster: ClusterState }) {
  const names = useComputed(() =>
    [...cluster.hosts.all()]
      .sort((one, other) => rank(one) - rank(other) || byName(one.name, other.name))
      .map(({ name }) => name)
      .join('\n'),
  )
  if (names.value === '') return null
  const keys = names.value.split('\n')
  return (
    <section class="card" aria-labelledby="hosts">
      <header class="bar">
        <h2 id="hosts">Hosts</h2>
        <p class="grow muted">{count(keys.length, 'host')}</p>
      </header>
      <LongTable
        noun="host"
        label={`Hosts of ${shown(cluster.name)}`}
        columns={columns}
        keys={keys}
        textOf={(name) => `${name} ${cluster.hosts.get(name)?.address ?? ''}`}
        row={(name) => hostCells(cluster, name)}
      />
    </section>
  )
}

function hostCells(cluster: ClusterState, name: string) {
  const host = cluster.hosts.get(name)
  if (host === undefined) return []
  return [
    <>
      <HostLink cluster={cluster.name} host={name} />
      {host.address !== name && <span class="sub">{shown(host.address)}</span>}
    </>,
    <>
      <Pill sign={hostSigns[host.state]} />
      {host.detail !== null && <span class="sub reason">{shown(host.detail)}</span>}
    </>,
    <ul class="plain inline">
      {host.components.map(({ component, state, reason }) => (
        <li title={reason === null ? undefined : shown(reason)}>
          {component} <Pill sign={componentSigns[state]} />
        </li>
      ))}
    </ul>,
    host.release === null ? <span class="muted">not known</span> : shown(host.release),
    <CertificateEnd at={host.certificateExpires} host={host} />,
  ]
}

/** Days that a certificate has left. */
export function CertificateEnd({
  at,
  host,
}: {
  readonly at: string | null
  readonly host: PictureHost | undefined
}) {
  const days = useMemo(() => computed(() => (at === null ? null : daysUntil(at, coarseNow.value))), [at])
  if (at === null || days.value === null) return <span class="muted">not known</span>
  const sign = certificateSign(days.value, host?.certificateWarningDays ?? 0)
  if (sign.tone === 'good') return <span title={utcText(at)}>{daysText(days.value)}</span>
  return (
    <span title={utcText(at)}>
      <Pill sign={{ ...sign, word: daysText(days.value) }} />
    </span>
  )
}
