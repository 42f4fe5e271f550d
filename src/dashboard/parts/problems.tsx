import type { PictureProblem } from '../../contracts/clusterPicture.ts'
import { linkTo } from '../state/place.ts'
import { hasPage } from '../state/session.ts'
import { verdictSigns } from '../text/signs.ts'
import { shown } from '../text/words.ts'
import { Pill } from './pill.tsx'

/** Every problem in words, with its host and its page of `muster explain`. */
export const Problems = ({
  cluster,
  problems,
}: {
  readonly cluster: string
  readonly problems: readonly PictureProblem[]
}) => (
  <ul class="problems">
    {problems.map((problem) => (
      <li class={verdictSigns[problem.level].tone}>
        <Pill sign={verdictSigns[problem.level]} />
        <span class="grow">{shown(problem.text)}</span>
        {problem.host !== null && <HostLink cluster={cluster} host={problem.host} />}
        {problem.code !== null && (
          <a href={linkTo({ page: 'explain', cluster, code: problem.code })}>
            Explain <code>{problem.code}</code>
          </a>
        )}
      </li>
    ))}
  </ul>
)

/** A host's name; a link where this server has a page for hosts. */
export const HostLink = ({ cluster, host }: { readonly cluster: string; readonly host: string }) =>
  hasPage('host') ? (
    <a href={linkTo({ page: 'host', cluster, host })}>{shown(host)}</a>
  ) : (
    <span>{shown(host)}</span>
  )
