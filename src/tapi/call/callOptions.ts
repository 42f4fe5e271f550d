import { parseDuration } from '../../base/time.ts'
import { readLoginUser } from '../../cli/optionValues.ts'
import { UsageError } from '../../cli/usageError.ts'
import { type Component, components, isComponent } from '../../contracts/component.ts'

/** Options that hold for every call, validated. */
export type TapiOptions = {
  readonly host: string
  readonly component?: Component
  /** Components that the command can call; all unless given. */
  readonly allowed?: readonly Component[]
  readonly cluster?: string
  readonly ca?: string
  readonly port?: number
  readonly insecure: boolean
  readonly json: boolean
  /** Milliseconds. */
  readonly timeout: number
  readonly user?: string
  readonly passwordFile?: string
  readonly passwordStdin: boolean
}

/** Options as commander parses them. */
export type WrittenOptions = {
  readonly host?: string
  readonly component?: string
  readonly cluster?: string
  readonly ca?: string
  readonly port?: string
  readonly insecure?: boolean
  readonly json?: boolean
  readonly timeout?: string
  readonly user?: string
  readonly passwordFile?: string
  readonly passwordStdin?: boolean
  readonly all?: boolean
  readonly skipUnreachable?: boolean
}

/** Validates the options. Throws a `UsageError`. */
export function readOptions(written: WrittenOptions): TapiOptions {
  const { cluster, ca, user, passwordFile } = written
  if (ca !== undefined && written.insecure === true) {
    throw new UsageError(
      '--ca cannot be used with --insecure.',
      'Remove --insecure: with --ca the certificate is verified.',
    )
  }
  return {
    host: readHost(written.host),
    timeout: readDuration(written.timeout ?? '10s'),
    insecure: written.insecure === true,
    json: written.json === true,
    passwordStdin: written.passwordStdin === true,
    ...(written.component !== undefined && { component: readComponent(written.component) }),
    ...(written.port !== undefined && { port: readPort(written.port) }),
    ...(cluster !== undefined && { cluster }),
    ...(ca !== undefined && { ca }),
    ...(user !== undefined && { user: readLoginUser(user) }),
    ...(passwordFile !== undefined && { passwordFile }),
  }
}

/** Validates the options of a command that only some components support. Throws a `UsageError`. */
export function readOptionsOf(allowed: readonly Component[], written: WrittenOptions): TapiOptions {
  const options = readOptions(written)
  const { component } = options
  if (component !== undefined && !allowed.includes(component)) {
    throw new UsageError(
      `This command calls the ${allowed.join(' or the ')}, not the ${component}.`,
      allowed.length === 1 ? 'Remove --component.' : `Use --component ${allowed.join(' or ')}.`,
    )
  }
  const [only] = allowed
  return allowed.length === 1 && only !== undefined
    ? { ...options, component: only }
    : { ...options, allowed }
}

function readHost(written: string | undefined): string {
  if (written === undefined || written === '') {
    throw new UsageError('--host is missing.', 'Name the host to call: --host NAME or --host ADDRESS.')
  }
  const host = written.replace(/^\[(.*)\]$/, '$1')
  if (/[/\s@]/.test(host)) {
    throw new UsageError('--host takes a name or an address, not a URL.', 'Write for example --host db1.')
  }
  if (/^[^:]+:\d*$/.test(host)) {
    throw new UsageError('--host takes no port.', 'Write for example --host db1 --port 8090.')
  }
  return host
}

function readComponent(written: string): Component {
  if (isComponent(written)) return written
  throw new UsageError(
    `${JSON.stringify(written)} is not a component.`,
    `Use one of ${components.join(', ')}.`,
  )
}

function readPort(written: string): number {
  const port = /^\d{1,5}$/.test(written) ? Number(written) : 0
  if (port >= 1 && port <= 65535) return port
  throw new UsageError(
    `--port takes a whole number from 1 to 65535, not ${JSON.stringify(written)}.`,
    'Write for example --port 8090.',
  )
}

function readDuration(written: string): number {
  const value = /^\d{1,6}\D/.test(written) ? parseDuration(written) : undefined
  if (value !== undefined && value > 0 && value <= 3_600_000) return value
  throw new UsageError(
    `--timeout takes a duration with a unit, not ${JSON.stringify(written)}.`,
    'Use for example --timeout 500ms, 30s or 5m, of at most an hour.',
  )
}
