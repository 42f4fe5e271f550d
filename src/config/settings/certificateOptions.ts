import { days } from '../types/scalars.ts'
import { secretReference } from '../types/secretReference.ts'
import { choice, line, path } from '../types/texts.ts'
import { setting } from './setting.ts'

const scope = 'options'

/** Stores of a host, and the certificates in generated ones (options.md, "The options"). */
export const certificateOptions = {
  keystorePath: setting({
    name: 'java-tls-keystore-path',
    scope,
    type: path,
  }),
  truststorePath: setting({
    name: 'java-truststore-path',
    scope,
    type: path,
  }),
  keystorePassword: setting({
    name: 'java-keystore-password',
    scope,
    secret: true,
    type: secretReference,
  }),
  truststorePassword: setting({
    name: 'java-truststore-password',
    scope,
    secret: true,
    type: secretReference,
  }),
  alias: setting({
    name: 'java-tls-alias',
    scope,
    type: line,
    default: 'tls',
  }),
  keyType: setting({
    name: 'java-tls-key-type',
    scope,
    type: choice(['ec', 'rsa']),
    default: 'ec',
  }),
  keyLifetime: setting({
    name: 'java-tls-key-lifetime',
    scope,
    type: days,
    default: 365,
  }),
  warningDays: setting({
    name: 'tls-warning-days',
    scope,
    type: days,
    default: 30,
  }),
} as const
