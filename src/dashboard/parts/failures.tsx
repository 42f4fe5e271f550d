import type { HostFailure } from '../../contracts/dashboard.ts'
import { shown } from '../text/words.ts'
import { Icon } from './icon.tsx'

/** Hosts that could not be read: what is shown is not all. */
export const Failures = ({ failures }: { readonly failures: readonly HostFailure[] }) =>
  failures.length === 0 ? null : (
    <section class="card warn-card" aria-label="Hosts that could not be read">
      <p class="warn inline">
        <Icon name="alert" />
        <strong>These hosts could not be read; the list is without them.</strong>
      </p>
      <ul class="plain">
        {failures.map(({ host, reason }) => (
          <li>
            <strong>{shown(host)}</strong>: {shown(reason)}
          </li>
        ))}
      </ul>
    </section>
  )
