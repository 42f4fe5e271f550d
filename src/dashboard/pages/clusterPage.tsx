import { useComputed } from '@preact/signals'
import { Heading } from '../parts/heading.tsx'
import { Pill } from '../parts/pill.tsx'
import { Problems } from '../parts/problems.tsx'
import type { ClusterState } from '../state/clusters.ts'
import { verdictSigns } from '../text/signs.ts'
import { byName, shown } from '../text/words.ts'
import { HostsPart } from './hostsPart.tsx'
import { ServicePart } from './servicePart.tsx'

/** One cluster: its problems, each service as a picture and a table, its hosts. */
export function ClusterPage({ cluster }: { readonly cluster: ClusterState }) {
  const services = useComputed(() => [...cluster.services.keys.value].sort(byName).join('\n'))
  return (
    <>
      <Heading title={shown(cluster.name)}>
        <Level cluster={cluster} />
      </Heading>
      <ProblemsPart cluster={cluster} />
      {services.value
        .split('\n')
        .map((name) => (name === '' ? null : <ServicePart key={name} cluster={cluster} service={name} />))}
      <HostsPart cluster={cluster} />
    </>
  )
}

const Level = ({ cluster }: { readonly cluster: ClusterState }) => (
  <Pill sign={verdictSigns[cluster.verdict.value.level]} large />
)

function ProblemsPart({ cluster }: { readonly cluster: ClusterState }) {
  const { problems } = cluster.verdict.value
  return (
    <section aria-labelledby="problems">
      <h2 id="problems" class={problems.length === 0 ? 'unseen' : ''}>
        Problems
      </h2>
      {problems.length === 0 ? (
        <p class="muted">No problems: every check passed.</p>
      ) : (
        <Problems cluster={cluster.name} problems={problems} />
      )}
    </section>
  )
}
