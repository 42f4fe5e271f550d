import { type Signal, useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useCallback, useEffect } from 'preact/hooks'
import { get, type Result } from '../state/request.ts'
import { shown } from '../text/words.ts'

type Reloadable<Value> = {
  /** Null while it is loaded for the first time. */
  readonly result: Signal<Result<Value> | null>
  readonly isLoading: Signal<boolean>
  readonly reload: () => void
}

/** Loads something of this page's server; again when the query changes, or on `reload`. */
export function useLoaded<Value>(
  path: Parameters<typeof get>[0],
  query: Readonly<Record<string, string>>,
): Reloadable<Value> {
  const result = useSignal<Result<Value> | null>(null)
  const isLoading = useSignal(true)
  const turn = useSignal(0)
  const search = JSON.stringify(query)
  const reload = useCallback(() => {
    turn.value += 1
  }, [turn])
  const turnNow = turn.value
  useEffect(() => {
    const ended = new AbortController()
    isLoading.value = true
    void get<Value>(path, JSON.parse(search), ended.signal).then((loaded) => {
      if (ended.signal.aborted) return
      result.value = loaded
      isLoading.value = false
    })
    return () => ended.abort()
  }, [path, search, turnNow, result, isLoading])
  return { result, isLoading, reload }
}

type Props<Value> = {
  readonly of: Reloadable<Value>
  readonly what: string
  readonly show: (value: Value) => ComponentChildren
}

/** What was loaded, or that it is on its way, or why it did not come. */
export function Loaded<Value>({ of, what, show }: Props<Value>) {
  const result = of.result.value
  if (result === null) return <p class="muted">Loading {shown(what)}…</p>
  if (result.ok) return <>{show(result.value)}</>
  return (
    <div class="card">
      <p class="error" role="alert">
        Could not read {shown(what)}: {shown(result.problem.detail)}
      </p>
      <ReloadButton of={of} />
    </div>
  )
}

export const ReloadButton = ({ of }: { readonly of: Reloadable<unknown> }) => (
  <button type="button" onClick={of.reload} disabled={of.isLoading}>
    Reload
  </button>
)
