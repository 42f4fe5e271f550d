/** Environment variables, such as process.env. */
export type Environment = Readonly<Record<string, string | undefined>>

const passedAlways = new Set([
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'TERM',
  'TMPDIR',
  'TZ',
  'LANG',
  'LANGUAGE',
])

/** Network variables that programs such as npm read. */
const network = new Set([
  'SSH_AUTH_SOCK',
  // Places that the program ssh looks up: tickets, security tokens, PKCS#11.
  'KRB5CCNAME',
  'KRB5_CONFIG',
  'SSH_SK_PROVIDER',
  'OPENSC_CONF',
  'SOFTHSM2_CONF',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'ALL_PROXY',
  'NO_PROXY',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'XDG_CONFIG_HOME',
  'XDG_CACHE_HOME',
])

const npmConfiguration = /^npm_config_/i
const locale = /^LC_[A-Z]+$/
const proxy = /^(https?|all|no)_proxy$/

const isPlain = (name: string): boolean => passedAlways.has(name) || locale.test(name)

const isNetwork = (name: string): boolean => network.has(name) || proxy.test(name)

const pick = (environment: Environment, wanted: (name: string) => boolean): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).filter((entry): entry is [string, string] => {
      const [name, value] = entry
      return value !== undefined && wanted(name)
    }),
  )

/**
 * Selects the variables for the programs that we start: user, folders, language, proxies and their
 * certificates, the SSH agent and tickets. All others are dropped, above all passwords for `!env`.
 */
export const programEnvironment = (environment: Environment): Record<string, string> =>
  pick(environment, (name) => isPlain(name) || isNetwork(name))

/** Adds npm's own configuration (`npm_config_*`), for npm only: it may hold the token of a registry. */
export const npmEnvironment = (environment: Environment): Record<string, string> =>
  pick(environment, (name) => npmConfiguration.test(name))

/** Selects the variables for a shell on a host: no SSH agent and no proxies. */
export const shellEnvironment = (environment: Environment): Record<string, string> =>
  pick(environment, isPlain)
