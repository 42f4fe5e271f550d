import { useComputed } from '@preact/signals'
import { verdictLevels } from '../../contracts/clusterPicture.ts'
import { Heading } from '../parts/heading.tsx'
import { LoginForm } from '../parts/loginForm.tsx'
import { Pill } from '../parts/pill.tsx'
import type { ClusterState } from '../state/clusters.ts'
import { linkTo } from '../state/place.ts'
import { session } from '../state/session.ts'
import { clusters } from '../state/stream.ts'
import { verdictSigns } from '../text/signs.ts'
import { count, shown } from '../text/words.ts'
import { clusterFacts, worstFirst } from './clusterFacts.ts'

/** All clusters, the worst first, each with the reason. */
export function ClustersPage() {
  const order = useComputed(() =>
    worstFirst(clusters.all().map(({ name, verdict }) => ({ name, level: verdict.value.level }))),
  )
  const elsewhere = (session.value?.clusters ?? []).filter(({ access }) => access === null)
  return (
    <>
      <Heading title="Clusters">
        <Summary />
      </Heading>
      <ul class="clusters">
        {order.value.map((name) => {
          const cluster = clusters.get(name)
          return cluster === undefined ? null : <ClusterRow key={name} cluster={cluster} />
        })}
      </ul>
      {elsewhere.map(({ name }) => (
        <section class="card narrow" key={name} aria-label={`Log in to ${shown(name)}`}>
          <h2>{shown(name)}</h2>
          <p>You are not logged in to this cluster.</p>
          <LoginForm cluster={name} />
        </section>
      ))}
    </>
  )
}

function Summary() {
  const text = useComputed(() => {
    const levels = clusters.all().map(({ verdict }) => verdict.value.level)
    const parts = verdictLevels.flatMap((level) => {
      const number = levels.filter((it) => it === level).length
      return number === 0 ? [] : [`${number} ${verdictSigns[level].word}`]
    })
    return parts.join(' · ')
  })
  return <p class="muted">{text}</p>
}

function ClusterRow({ cluster }: { readonly cluster: ClusterState }) {
  const { level, problems } = cluster.verdict.value
  const facts = useComputed(() => clusterFacts(cluster))
  const [worst] = problems
  return (
    <li class={`card cluster ${verdictSigns[level].tone}`}>
      <Pill sign={verdictSigns[level]} large />
      <div class="grow">
        <h2>
          <a href={linkTo({ page: 'cluster', cluster: cluster.name })}>{shown(cluster.name)}</a>
        </h2>
        <p>
          {worst === undefined ? 'Everything works.' : shown(worst.text)}
          {problems.length > 1 && (
            <span class="muted"> and {count(problems.length - 1, 'more problem')}</span>
          )}
        </p>
      </div>
      <dl class="facts">
        {facts.value.map(([term, value]) => (
          <div>
            <dt>{term}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </li>
  )
}
