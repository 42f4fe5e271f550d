import { printable } from '../../base/printable.ts'
import { type ExitCode, exitCodes } from '../../cli/exitCodes.ts'
import { ClientError, isUnreachable } from '../../client/clientError.ts'
import type { Problem } from '../../client/envelope.ts'
import { howToRecord, type Target } from './chooseTarget.ts'

/** Source of the trust that verifies the certificate; the advice depends on it. */
export type TrustSource = 'record' | 'file' | 'system' | 'none'

/** Returns the exit code of a call without a response. */
export function exitCodeOf(error: ClientError): ExitCode {
  if (error.code === 'interrupted') return exitCodes.interrupted
  if (error.code === 'bad-request' || error.code === 'bad-authority') return exitCodes.usage
  return isUnreachable(error.code) ? exitCodes.unreachable : exitCodes.failed
}

/** Returns the error with the fix that fits this host and these options. */
export function withAdvice(facts: {
  readonly error: ClientError
  readonly target: Target
  readonly trust: TrustSource
}): ClientError {
  const fix = advice(facts)
  if (fix === undefined) return facts.error
  return new ClientError({ code: facts.error.code, message: facts.error.message, fix })
}

function advice(facts: { error: ClientError; target: Target; trust: TrustSource }): string | undefined {
  const { error, target, trust } = facts
  const host = target.found?.host.name ?? target.address
  const listens = `${target.component}-rest-api-address`
  switch (error.code) {
    case 'refused':
    case 'timeout':
    case 'unreachable':
      if (!target.loopbackElsewhere) return undefined
      return `The ${target.component} API of ${host} listens on loopback only: call it on ${host} itself, or set ${listens} in the YAML file and run \`muster install\`.`
    case 'certificate-untrusted':
      if (trust === 'record') {
        return `The certificate of the host is not signed by the authority recorded for cluster ${target.found?.cluster.cluster}. If this is expected, run \`muster install\` again, or name the other authority with --ca FILE. If not, another server may be responding.`
      }
      if (trust === 'file') {
        return 'Use --ca with the authority that signed it; for a muster cluster, it is authority.crt in .muster/<cluster>/ beside the YAML file.'
      }
      return `No cluster with ${host} is recorded. ${howToRecord}; or use --ca FILE with its authority: authority.crt in .muster/<cluster>/ beside the YAML file.`
    case 'name-not-found':
      if (target.found !== undefined) return undefined
      return `No cluster with ${host} is recorded, and the name does not resolve. ${howToRecord}. Otherwise check the spelling.`
    default:
      return undefined
  }
}

/** Renders the message and the fix; ends with a newline. */
export function renderError(error: {
  readonly message: string
  readonly fix: string
  readonly code?: string
}): string {
  const code = error.code === undefined ? '' : ` [${error.code}]`
  return `error: ${printable(error.message)}${code}\n  fix: ${printable(error.fix)}\n`
}

/** Renders a problem response; ends with a newline. */
export function renderProblem(problem: Problem): string {
  const kind = problem.code === undefined ? `${problem.status}` : `${problem.status} ${problem.code}`
  const lines = [
    `error: ${problem.title} [${kind}]`,
    ...(problem.detail === undefined ? [] : [`  ${problem.detail}`]),
    ...problem.errors.map(({ path, message }) => `  ${path === '' ? 'body' : path}: ${message}`),
    ...(problem.requestId === undefined ? [] : [`  request: ${problem.requestId}`]),
  ]
  return `${printable(lines.join('\n'))}\n`
}
