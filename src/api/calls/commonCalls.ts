import type { ServedRoute } from '../serve.ts'
import { docs, openapi, uris, version } from './about.ts'
import { createAdminUser } from './createAdminUser.ts'
import { deleteUser } from './deleteUser.ts'
import { live, ready } from './health.ts'
import { metrics } from './metrics.ts'
import { ping } from './ping.ts'
import { unlock } from './unlock.ts'
import { user, users } from './users.ts'

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
