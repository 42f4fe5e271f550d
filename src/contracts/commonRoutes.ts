import { Type } from 'typebox'
import { CredentialsRequest } from './credentials.ts'
import { requestSchema } from './envelope.ts'
import {
  ChangePayload,
  CredentialsListPayload,
  CredentialsPayload,
  PingPayload,
  StringPayload,
  UrisPayload,
  VersionPayload,
} from './payloads.ts'
import { basePath, type Route } from './route.ts'

const reading = { method: 'GET', guard: false, request: null, problems: [] } as const

/** The members of an OpenAPI document that each has. */
export const OpenApiDocument = Type.Object({ openapi: Type.String() })

/** The calls that every component serves (contract.md, "Common to the three components"). */
export const commonRoutes = {
  ping: {
    ...reading,
    name: 'ping',
    tag: 'Server',
    path: `${basePath}/ping`,
    auth: 'none',
    summary: 'Says that the component answers, and which process it is.',
    response: { kind: 'payload', payloadType: 'PingPayload', payload: PingPayload },
  },
  createAdminUser: {
    name: 'createAdminUser',
    tag: 'Users',
    method: 'POST',
    path: `${basePath}/createAdminUser`,
    auth: 'bootstrap',
    guard: true,
    summary: 'Creates a user of this host, or changes the password of an existing one.',
    request: CredentialsRequest,
    response: { kind: 'payload', payloadType: 'StringPayload', payload: StringPayload },
    problems: ['invalid-user-name', 'invalid-password', 'remote-bootstrap'],
  },
  user: {
    ...reading,
    name: 'user',
    tag: 'Users',
    path: `${basePath}/user/{user}`,
    auth: 'basic',
    summary: 'Reads a user; the password is never shown.',
    response: { kind: 'payload', payloadType: 'CredentialsPayload', payload: CredentialsPayload },
    problems: ['not-found'],
  },
  users: {
    ...reading,
    name: 'users',
    tag: 'Users',
    path: `${basePath}/users`,
    auth: 'basic',
    summary: 'Lists the users of this host.',
    response: { kind: 'payload', payloadType: 'CredentialsListPayload', payload: CredentialsListPayload },
  },
  deleteUser: {
    name: 'deleteUser',
    tag: 'Users',
    method: 'POST',
    path: `${basePath}/deleteUser`,
    auth: 'basic',
    guard: true,
    summary: 'Deletes a user of this host; `changed` is false when there was none.',
    request: requestSchema('StringPayload', StringPayload),
    response: { kind: 'payload', payloadType: 'BooleanPayload', payload: ChangePayload },
    problems: ['invalid-user-name', 'last-user'],
  },
  unlock: {
    name: 'unlock',
    tag: 'Users',
    method: 'POST',
    path: `${basePath}/unlock`,
    auth: 'basic',
    guard: true,
    summary: 'Ends the lock-outs of a user name; `changed` is false when there were none.',
    request: requestSchema('StringPayload', StringPayload),
    response: { kind: 'payload', payloadType: 'BooleanPayload', payload: ChangePayload },
    problems: ['invalid-user-name'],
  },
  version: {
    ...reading,
    name: 'version',
    tag: 'Server',
    path: `${basePath}/version`,
    auth: 'basic',
    summary: 'Says which version of which component answers.',
    response: { kind: 'payload', payloadType: 'VersionPayload', payload: VersionPayload },
  },
  uris: {
    ...reading,
    name: 'uris',
    tag: 'Server',
    path: `${basePath}/uris`,
    auth: 'basic',
    summary: 'Lists every method and path that this component serves.',
    response: { kind: 'payload', payloadType: 'URIsPayload', payload: UrisPayload },
  },
  openapi: {
    ...reading,
    name: 'openapi',
    tag: 'Server',
    path: '/openapi.json',
    auth: 'none',
    summary: 'Describes this API (OpenAPI 3.1).',
    response: { kind: 'json', schema: OpenApiDocument },
  },
  live: {
    ...reading,
    name: 'live',
    tag: 'Health',
    path: '/health/live',
    auth: 'none',
    summary: 'Answers `live` while the process can answer at all.',
    response: { kind: 'text', mediaType: 'text/plain' },
  },
  ready: {
    ...reading,
    name: 'ready',
    tag: 'Health',
    path: '/health/ready',
    auth: 'optional',
    summary: 'Answers `ready`, or 503 and `unready`; the reasons follow, one per line, for a login.',
    response: { kind: 'text', mediaType: 'text/plain', unready: true },
  },
  metrics: {
    ...reading,
    name: 'metrics',
    tag: 'Health',
    path: '/metrics',
    auth: 'basic',
    summary: 'Measurements of this process, as Prometheus reads them.',
    // The version names Prometheus's text format.
    response: { kind: 'text', mediaType: 'text/plain', parameters: 'version=0.0.4' },
  },
} as const satisfies Readonly<Record<string, Route>>
