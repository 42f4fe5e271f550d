import { duration } from '../types/duration.ts'
import { oneOrMore } from '../types/listTypes.ts'
import { boolean, portType } from '../types/scalars.ts'
import { secretReference } from '../types/secretReference.ts'
import { choice, fingerprint, jumpHost, loginUser, path } from '../types/texts.ts'
import { type Setting, setting } from './setting.ts'

const scope = 'ssh'

/** The keys of `ssh`, for all hosts or one (options.md, "The file"). */
export const ssh = {
  transport: setting({
    name: 'transport',
    scope,
    type: choice(['auto', 'builtin', 'openssh']),
    default: 'auto',
  }),
  user: setting({
    name: 'user',
    scope,
    type: loginUser,
  }),
  port: setting({
    name: 'port',
    scope,
    type: portType(22),
  }),
  identity: setting({
    name: 'identity',
    scope,
    type: path,
  }),
  knownHosts: setting({
    name: 'known-hosts',
    scope,
    type: path,
  }),
  hostKey: setting({
    name: 'host-key',
    scope,
    type: fingerprint,
  }),
  jump: setting({
    name: 'jump',
    scope,
    type: oneOrMore(jumpHost, 'a host to go through, or a list of them'),
  }),
  config: setting({
    name: 'config',
    scope,
    type: path,
  }),
  become: setting({
    name: 'become',
    scope,
    type: boolean,
    default: false,
  }),
  becomePassword: setting({
    name: 'become-password',
    scope,
    secret: true,
    type: secretReference,
  }),
  timeout: setting({
    name: 'timeout',
    scope,
    type: duration,
  }),
} as const

export const allSsh: readonly Setting<unknown>[] = Object.values(ssh)
