import { printable } from '../../base/printable.ts'
import type { ExplainPage as Page } from '../../contracts/dashboard.ts'
import { Heading } from '../parts/heading.tsx'
import { Loaded, useLoaded } from '../parts/loaded.tsx'

/** A page of `muster explain`. */
export function ExplainPage({ code }: { readonly code: string }) {
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
                <p>{printable(text)}</p>
              ),
            )}
          </div>
        </>
      )}
    />
  )
}
