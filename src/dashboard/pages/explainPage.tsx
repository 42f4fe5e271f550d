import { printable } from '../../base/printable.ts'
import type { ExplainPage as Page } from '../../contracts/dashboard.ts'
import { Heading } from '../parts/heading.tsx'
import { Loaded, useLoaded } from '../parts/loaded.tsx'
import { linkTo } from '../state/place.ts'
import { shown } from '../text/words.ts'

/** A page of `muster explain`. */
export function ExplainPage({ code, cluster }: { readonly code: string; readonly cluster: string | null }) {
  const loaded = useLoaded<Page>('explain', { code })
  return (
    <Loaded
      of={loaded}
      what={`the page of ${code}`}
      show={({ title, blocks }) => (
        <>
          <Heading title={title}>
            <p class="muted">
              <code>{code}</code>
            </p>
          </Heading>
          <div class="card prose">
            {blocks.map(({ kind, text }) =>
              kind === 'code' ? (
                // biome-ignore lint/a11y/noNoninteractiveTabindex: long lines scroll, also with a keyboard
                <pre tabIndex={0}>{printable(text)}</pre>
              ) : (
                <p>{withCode(printable(text))}</p>
              ),
            )}
          </div>
          {cluster !== null && (
            <p>
              <a href={linkTo({ page: 'cluster', cluster })}>Show {shown(cluster)}</a>
            </p>
          )}
        </>
      )}
    />
  )
}

/** Renders what stands between backticks as code. */
const withCode = (text: string) =>
  text.split(/`([^`]+)`/).map((part, index) => (index % 2 === 1 ? <code>{part}</code> : part))
