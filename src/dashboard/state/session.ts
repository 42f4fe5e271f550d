import { signal } from '@preact/signals'
import { type AccessLevel, allows } from '../../contracts/accessLevels.ts'
import type {
  DashboardPage,
  DashboardProblem,
  LoginRequest,
  SessionPayload,
} from '../../contracts/dashboard.ts'
import { get, post } from './request.ts'

/** Session of this browser; null until the server has told it. */
export const session = signal<SessionPayload | null>(null)

/** Why the server does not tell the session; null if it does. */
export const sessionProblem = signal<DashboardProblem | null>(null)

/** True once somebody was logged in: the login form then tells that the session ended. */
export const wasLoggedIn = signal(false)

function setSession(value: SessionPayload): void {
  if (value.state === 'in') wasLoggedIn.value = true
  session.value = value
}

export async function readSession(): Promise<void> {
  const result = await get<SessionPayload>('session')
  sessionProblem.value = result.ok ? null : result.problem
  if (result.ok) setSession(result.value)
}

/** Exchanges the one-time token of `muster dashboard`. A wrong one leaves the session as it is. */
export async function useToken(token: string): Promise<void> {
  await post('token', { token })
}

/** Logs in; returns why not, or null. The password lives as long as the request. */
export async function logIn(login: LoginRequest): Promise<DashboardProblem | null> {
  const result = await post<SessionPayload>('login', login)
  if (!result.ok) return result.problem
  setSession(result.value)
  return null
}

export async function logOut(): Promise<void> {
  await post('logout')
  wasLoggedIn.value = false
  await readSession()
}

export const hasPage = (page: DashboardPage): boolean => session.value?.pages.includes(page) ?? false

/** Returns true if the login to a cluster has a level or a higher one. */
export function mayDo(cluster: string, needed: AccessLevel): boolean {
  const has = session.value?.clusters.find(({ name }) => name === cluster)?.access ?? null
  return has !== null && allows(has, needed)
}
