import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'

/** True once a page was left for another: the first page must not take the focus. */
let hasNavigated = false

/** Heading of a page. It takes the focus when somebody came here by a link, so that a screen reader begins here. */
export function Heading({
  title,
  children,
}: {
  readonly title: string
  readonly children?: ComponentChildren
}) {
  useEffect(() => {
    if (hasNavigated) {
      document.getElementById('title')?.focus({ preventScroll: true })
      window.scrollTo(0, 0)
    }
    hasNavigated = true
  }, [])
  return (
    <header class="heading">
      <h1 id="title" tabIndex={-1}>
        {title}
      </h1>
      {children}
    </header>
  )
}
