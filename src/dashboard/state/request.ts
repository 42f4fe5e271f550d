import type { DashboardProblem, dashboardHeader, dashboardPaths } from '../../contracts/dashboard.ts'

type Path = (typeof dashboardPaths)[keyof typeof dashboardPaths]

const header: typeof dashboardHeader = { name: 'X-Muster-Dashboard', value: '1' }

/** Response of this page's server, or why there is none. */
export type Result<Value> =
  | { readonly ok: true; readonly value: Value }
  /** `status` is 0 where the server did not respond. */
  | { readonly ok: false; readonly status: number; readonly problem: DashboardProblem }

/** Milliseconds after which a response is no longer waited for: longer than the server waits for a host. */
const timeout = 60_000

/** Called for each 401: the session has ended. */
let onLoggedOut: () => void = () => {}

export function whenLoggedOut(listener: () => void): void {
  onLoggedOut = listener
}

export function get<Value>(
  path: Path,
  query: Readonly<Record<string, string>> = {},
  signal?: AbortSignal,
): Promise<Result<Value>> {
  const search = new URLSearchParams(query).toString()
  return send(search === '' ? path : `${path}?${search}`, { method: 'GET', ...(signal && { signal }) })
}

export const post = <Value>(path: Path, body?: unknown): Promise<Result<Value>> =>
  send(path, {
    method: 'POST',
    headers: { [header.name]: header.value, 'Content-Type': 'application/json' },
    body: JSON.stringify(body ?? {}),
  })

async function send<Value>(path: string, request: RequestInit): Promise<Result<Value>> {
  try {
    const response = await fetch(path, {
      signal: AbortSignal.timeout(timeout),
      ...request,
      redirect: 'error',
    })
    const text = await response.text()
    if (response.ok) return { ok: true, value: (text === '' ? null : JSON.parse(text)) as Value }
    if (response.status === 401 && path !== 'login' && path !== 'token') onLoggedOut()
    return { ok: false, status: response.status, problem: problemOf(text, response.status) }
  } catch (error) {
    const timedOut = error instanceof DOMException && error.name === 'TimeoutError'
    const detail = timedOut
      ? 'The server of this page did not answer within a minute.'
      : 'The server of this page does not respond. Is it still running?'
    return { ok: false, status: 0, problem: { code: 'no-response', detail } }
  }
}

function problemOf(text: string, status: number): DashboardProblem {
  try {
    const { code, detail } = JSON.parse(text)
    if (typeof code === 'string' && typeof detail === 'string') return { code, detail }
  } catch {
    // Not ours: a proxy's page, say.
  }
  return { code: 'unexpected', detail: `The server of this page answered with status ${status}.` }
}
