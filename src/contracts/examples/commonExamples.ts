import type { commonRoutes } from '../commonRoutes.ts'
import type { Component } from '../component.ts'
import type { ExamplesOf } from './examplesOf.ts'

const user = { user: 'admin', pass: '**obfuscated**', access: 'full' } as const
const byName = {
  request: { payloadType: 'StringPayload', payload: { value: 'monitoring' } },
  response: { value: true, changed: true },
}

/** Examples of the calls that every component serves. */
export const commonExamples = (component: Component): ExamplesOf<typeof commonRoutes> => ({
  ping: {
    response: {
      message: `Ping test: the ${component} answers.`,
      date: 'Mon Mar 10 10:12:18 UTC 2025',
      hostName: 'db1',
      pid: 4711,
      jvmUptime: 86_400_000,
    },
  },
  createAdminUser: {
    request: {
      payloadType: 'CredentialsPayload',
      payload: { user: 'monitoring', pass: 'a password of your own', access: 'read' },
    },
    response: { value: 'https://db1:8090/api/v2/user/monitoring' },
  },
  user: { response: user },
  users: { response: [user, { ...user, user: 'monitoring', access: 'read' }] },
  deleteUser: byName,
  unlock: byName,
  version: { response: { version: '0.1.0', component, node: 'v24.1.0' } },
  uris: {
    response: [
      { method: 'GET', path: '/api/v2/ping' },
      { method: 'POST', path: '/api/v2/createAdminUser' },
    ],
  },
  openapi: { response: { openapi: '3.1.0' } },
  docs: { response: '<!doctype html>' },
  live: { response: 'live\n' },
  ready: { response: 'ready\n' },
  metrics: {
    response: [
      '# HELP muster_uptime_seconds Seconds since the process started.',
      '# TYPE muster_uptime_seconds gauge',
      'muster_uptime_seconds 86400.5',
      '',
    ].join('\n'),
  },
})
