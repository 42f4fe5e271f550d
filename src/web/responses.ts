import type { ServerResponse } from 'node:http'
import type { DashboardProblem } from '../contracts/dashboard.ts'
import { DashboardError } from './dashboardError.ts'
import { shownJson } from './shownJson.ts'

/** Headers of all responses: nothing but our own files is loaded, and nobody frames the page or learns its address. */
const safeHeaders: readonly (readonly [string, string])[] = [
  [
    'Content-Security-Policy',
    "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'; object-src 'none'",
  ],
  ['X-Content-Type-Options', 'nosniff'],
  ['X-Frame-Options', 'DENY'],
  ['Referrer-Policy', 'no-referrer'],
  ['Cross-Origin-Opener-Policy', 'same-origin'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['Permissions-Policy', 'camera=(), geolocation=(), microphone=(), payment=(), usb=()'],
  ['Cache-Control', 'no-store'],
]

/** Sets the headers of every response; over TLS also that browsers come back over TLS only (RFC 6797). */
export function setSafeHeaders(response: ServerResponse, scheme: 'http' | 'https'): void {
  for (const [name, value] of safeHeaders) response.setHeader(name, value)
  if (scheme === 'https') response.setHeader('Strict-Transport-Security', 'max-age=31536000')
}

export function sendJson(response: ServerResponse, value: unknown, status = 200): void {
  const body = Buffer.from(shownJson(value))
  response.setHeader('Content-Type', 'application/json; charset=utf-8')
  response.setHeader('Content-Length', body.length)
  response.writeHead(status).end(body)
}

export function redirect(response: ServerResponse, to: string): void {
  response.writeHead(302, { Location: to, 'Content-Length': 0 }).end()
}

/** Answers with the problem of an error; of another one than a `DashboardError` the page learns nothing. */
export function sendError(error: unknown, response: ServerResponse): void {
  if (response.headersSent) return void response.destroy()
  const known =
    error instanceof DashboardError
      ? error
      : new DashboardError({ code: 'internal', detail: 'The server failed. Its log shows the details.' })
  for (const [name, value] of Object.entries(known.headers)) response.setHeader(name, value)
  const problem: DashboardProblem = { code: known.code, detail: known.message }
  sendJson(response, problem, known.status)
}
