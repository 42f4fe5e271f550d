import { Type } from 'typebox'
import { ChangePayload } from './commonPayloads.ts'
import type { Route } from './route.ts'
import { ServicesMapPayload } from './servicesMap.ts'

/**
 * Routes that a component serves only on its host's Unix socket, beside the specification: whoever may open that
 * may write the user file, too.
 */
export const hostRoutes = {
  putUsers: {
    name: 'putUsers',
    tag: 'Users',
    method: 'POST',
    path: '/muster/users',
    auth: 'basic',
    guard: true,
    summary: 'Adds or replaces users of this host by their hashes, as `muster-api put-user` does.',
    request: Type.Object({ users: Type.Array(Type.Unknown(), { minItems: 1, maxItems: 1000 }) }),
    response: { kind: 'payload', payloadType: 'BooleanPayload', payload: ChangePayload },
    problems: ['invalid-body', 'invalid-user-name'],
  },
  followedMap: {
    name: 'followedMap',
    tag: 'Connector',
    method: 'GET',
    path: '/muster/followed-map',
    auth: 'basic',
    guard: false,
    summary:
      'Reads the services map that the connector uses, after it has read the current one of its manager.',
    request: null,
    response: { kind: 'payload', payloadType: 'ServicesMapPayload', payload: ServicesMapPayload },
    problems: [],
  },
} as const satisfies Readonly<Record<string, Route>>
