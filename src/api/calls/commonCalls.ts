import type { ServedRoute } from '../serve.ts'
import { live, ready } from './health.ts'
import { metrics } from './metrics.ts'
import { docs, openapi, ping, uris, version } from './serverCalls.ts'
import { createAdminUser, deleteUser, unlock, user, users } from './userCalls.ts'

/** The calls that every component serves, in the order in which `uris` lists them. */
export const commonCalls: readonly ServedRoute[] = [
  ping,
  createAdminUser,
  user,
  users,
  deleteUser,
  unlock,
  version,
  uris,
  openapi,
  docs,
  live,
  ready,
  metrics,
]
