import { secretMap } from '../types/secretMap.ts'
import { secretReference } from '../types/secretReference.ts'
import { userName } from '../types/texts.ts'
import { setting } from './setting.ts'

const scope = 'options'

/** What the password of every user of the map counts as; no option of its own. */
const each = setting({
  name: 'rest-api-users',
  scope,
  secret: true,
  type: secretReference,
  documentation: 'Password of one user of the APIs.',
})

/** Who can log in to the APIs of a host (options.md, "The options"). */
export const userOptions = {
  adminUser: setting({
    name: 'rest-api-admin-user',
    scope,
    type: userName,
    documentation: 'Administrator of every API, created by install.',
  }),
  adminPass: setting({
    name: 'rest-api-admin-pass',
    scope,
    aliases: ['rest-api-admin-password'],
    secret: true,
    type: secretReference,
    documentation:
      'Password of the administrator. Without it the one in the state directory is used; if no host has that user yet, one is generated, kept there and shown once.',
  }),
  users: setting({
    name: 'rest-api-users',
    scope,
    secret: true,
    type: secretMap({
      each,
      wants: 'a group of user names, each with a password, a reference to one, or nothing',
      example: '{ ops: !env OPS_PASS }',
    }),
    documentation:
      'Additional users of every API, by name, with the same rights as the administrator. A user without a password has the one in the state directory; if no host has that user yet, one is generated, kept there and shown once. A service or a host that sets this option has only these users.',
  }),
} as const
