import { useComputed } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { ClusterCertificates, HostCertificate } from '../../contracts/dashboard.ts'
import { Failures } from '../parts/failures.tsx'
import { Heading } from '../parts/heading.tsx'
import { Loaded, ReloadButton, useLoaded } from '../parts/loaded.tsx'
import { HostLink } from '../parts/problems.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { When } from '../parts/when.tsx'
import { coarseNow } from '../state/clock.ts'
import type { ClusterState } from '../state/clusters.ts'
import { certificateSign } from '../text/signs.ts'
import { daysUntil } from '../text/times.ts'
import { byName, shown } from '../text/words.ts'
import { timeScale } from '../topology/timeScale.ts'
import { CertificateEnd } from './hostsPart.tsx'

/** The certificates of all hosts by their end, the first one first. */
export function CertificatesPage({ cluster }: { readonly cluster: ClusterState }) {
  const loaded = useLoaded<ClusterCertificates>('certificates', { cluster: cluster.name })
  const ends = useComputed(() =>
    cluster.hosts
      .all()
      .map(({ certificateExpires }) => certificateExpires)
      .join(),
  )
  // A certificate that was renewed elsewhere shows its new end by itself.
  const known = useRef(ends.value)
  useEffect(() => {
    if (known.current === ends.value) return
    known.current = ends.value
    loaded.reload()
  })
  return (
    <>
      <Heading title="Certificates">
        <p class="muted grow">Of the APIs of all hosts; the one that ends first is the first.</p>
        <ReloadButton of={loaded} />
      </Heading>
      <Loaded of={loaded} what="the certificates" show={(all) => <TimeLine cluster={cluster} {...all} />} />
    </>
  )
}

const columns: readonly Column[] = [
  { title: 'Host' },
  { title: 'Left' },
  { title: 'Time line' },
  { title: 'Ends' },
  { title: 'Issuer' },
  { title: 'Names' },
]

function TimeLine({
  cluster,
  certificates,
  failures,
}: ClusterCertificates & { readonly cluster: ClusterState }) {
  const ordered = [...certificates].sort(
    (one, other) => Date.parse(one.notAfter) - Date.parse(other.notAfter) || byName(one.host, other.host),
  )
  const byKey = new Map(ordered.map((it, index) => [`${index} ${it.host}`, it]))
  const days = ordered.map(({ notAfter }) => daysUntil(notAfter, coarseNow.value))
  const scale = timeScale(Math.max(0, ...days))
  return (
    <>
      <Failures failures={failures} />
      <section class="card" aria-label="Certificates">
        {ordered.length === 0 ? (
          <p class="muted">None are known.</p>
        ) : (
          <Table
            label="Certificates"
            columns={columns}
            keys={[...byKey.keys()]}
            row={(key) => certificateCells(cluster, { certificate: byKey.get(key), scale })}
          />
        )}
      </section>
    </>
  )
}

type Scaled = {
  readonly certificate: HostCertificate | undefined
  readonly scale: ReturnType<typeof timeScale>
}

function certificateCells(cluster: ClusterState, { certificate, scale }: Scaled) {
  if (certificate === undefined) return []
  const host = cluster.hosts.get(certificate.host)
  return [
    <HostLink cluster={cluster.name} host={certificate.host} />,
    <CertificateEnd at={certificate.notAfter} host={host} />,
    <Bar
      days={daysUntil(certificate.notAfter, coarseNow.value)}
      warningDays={host?.certificateWarningDays ?? 0}
      scale={scale}
    />,
    <When at={certificate.notAfter} />,
    shown(certificate.issuer),
    <>
      {shown(certificate.names.join(', '))}
      <details class="sub">
        <summary>Fingerprint</summary>
        <code>{shown(certificate.fingerprint)}</code>
      </details>
    </>,
  ]
}

const width = 240

/** The days that are left, on the line that all rows share. */
const Bar = ({
  days,
  warningDays,
  scale,
}: {
  readonly days: number
  readonly warningDays: number
  readonly scale: Scaled['scale']
}) => (
  <svg class="days" viewBox={`0 0 ${width} 28`} width={width} height="28" aria-hidden="true">
    {scale.marks.map((mark) => (
      <>
        <line x1={(mark / scale.end) * width} x2={(mark / scale.end) * width} y1="0" y2="16" />
        <text
          x={Math.min((mark / scale.end) * width, width - 2)}
          y="26"
          text-anchor={mark === 0 ? 'start' : 'end'}
        >
          {mark === 0 ? 'today' : `${mark} d`}
        </text>
      </>
    ))}
    <rect
      class={certificateSign(days, warningDays).tone}
      x="0"
      y="4"
      height="8"
      rx="2"
      width={Math.max(2, (Math.max(0, days) / scale.end) * width)}
    />
  </svg>
)
