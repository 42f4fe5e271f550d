import { secretReference } from '../types/secretReference.ts'
import { userName } from '../types/texts.ts'
import { setting } from './setting.ts'
import { userMap } from './userMap.ts'

const scope = 'options'

/** Setting for each password in the map of users; no option of its own. */
const each = setting({
  name: 'rest-api-users',
  scope,
  secret: true,
  type: secretReference,
})

/** Users of the APIs of a host (options.md, "The options"). */
export const userOptions = {
  adminUser: setting({
    name: 'rest-api-admin-user',
    scope,
    type: userName,
  }),
  adminPass: setting({
    name: 'rest-api-admin-pass',
    scope,
    aliases: ['rest-api-admin-password'],
    secret: true,
    type: secretReference,
  }),
  users: setting({
    name: 'rest-api-users',
    scope,
    secret: true,
    type: userMap({
      each,
      wants:
        'a group of user names, each with a password, a reference to one, a group of access and password, or nothing',
      example: '{ ops: !env OPS_PASS }',
    }),
  }),
} as const
