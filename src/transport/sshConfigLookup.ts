import { createSemaphore } from '../base/concurrency.ts'
import type { Environment } from '../processes/environment.ts'
import { ProcessError } from '../processes/processError.ts'
import type { ProcessResult } from '../processes/run.ts'
import { redactedErrorOutput } from '../secrets/redactedErrorOutput.ts'
import type { SshConfigRequest } from './destination.ts'
import type { Once } from './once.ts'
import { readSshConfig, type SshConfig } from './sshConfig.ts'
import type { SshEnvironment } from './sshTarget.ts'
import { TransportError } from './transportError.ts'

/**
 * Reads the ssh_config of a host; undefined without a file to read or an ssh program. Rejects with
 * `TransportError`, code `ssh-config`.
 */
export type SshConfigLookup = (question: SshConfigRequest) => Promise<SshConfig | undefined>

/** Milliseconds; a `Match exec` may be slow. */
const lookupTimeout = 10_000

/** Programs at a time: all hosts of a run are looked up at once, and the time of each counts from its start. */
const concurrentLookups = 10

/** Runs `ssh -G`, which prints the configuration and does not connect. Each question is asked once. */
export function createSshConfigLookup(dependencies: {
  readonly env: Environment
  readonly ssh: SshEnvironment
  /** Path of the usual file, `none`, or undefined for the files that ssh itself reads. */
  readonly usual: string | undefined
  /** Home folder that ssh takes for `~`: from the user database, not HOME. */
  readonly sshHome: string
  readonly once: Once
}): SshConfigLookup {
  const { env, ssh, sshHome, once } = dependencies
  const withSlot = createSemaphore(concurrentLookups)
  return async (question) => {
    const { label, host } = question
    const file = question.config ?? dependencies.usual
    if (file === 'none') return undefined
    const command = ['ssh', '-G', '-T', ...questionArguments(question, file)] as const
    try {
      const result = await once(JSON.stringify(command), async () => {
        // Loaded only where it is needed: most hosts are reached without any program.
        const { run } = await import('../processes/run.ts')
        return withSlot(() => run({ command, env, timeout: lookupTimeout }))
      })
      if (result.code === 0) return readSshConfig(result.stdout, { host, env: ssh, sshHome })
      throw refused(question, result)
    } catch (error) {
      if (!(error instanceof ProcessError)) throw error
      if (error.code === 'not-found' && question.config === undefined) return undefined
      throw lookupFailed(label, question.config, error)
    }
  }
}

/**
 * Builds the last arguments of ssh, by which it finds its configuration. Passes an address of the YAML as HostName and
 * as the canonical name, for which ssh reads its files a second time: so both `Host db1` and `Host 10.0.*` match.
 */
export function questionArguments(
  { host, address, port, user }: SshConfigRequest,
  file: string | undefined,
): readonly string[] {
  const set = (option: string, value: string): string[] => ['-o', `${option}=${value.replaceAll('%', '%%')}`]
  return [
    ...(file === undefined ? [] : ['-F', file]),
    ...(port === undefined ? [] : ['-p', String(port)]),
    ...(user === undefined ? [] : ['-l', user]),
    ...(address === undefined ? [] : [...set('HostName', address), '-o', 'CanonicalizeHostname=always']),
    '--',
    host,
  ]
}

const fixFor = (file: string | undefined): string =>
  `Correct ${file ?? 'your ssh_config (~/.ssh/config, /etc/ssh/ssh_config)'}; "ssh -G" with the name of the host shows the same error.`

/** OpenSSH from which all our arguments are known: the last one is HostKeyAlgorithms with a list to remove. */
const oldest = '7.5'

/** Explains that the program ssh does not know an argument of ours; undefined for other complaints. */
export const tooOld = (label: string, complaint: string): TransportError | undefined =>
  /^(unknown|illegal|invalid) option|^command-line.*[Bb]ad configuration option/m.test(complaint)
    ? new TransportError({
        host: label,
        code: 'ssh-config',
        message: `the program ssh of this machine is too old for ${label}: ${redactedErrorOutput(complaint, [])}`,
        fix: `Install OpenSSH ${oldest} or newer, or set transport: builtin under ssh and no config.`,
      })
    : undefined

const refused = ({ label, config }: SshConfigRequest, { stderr, code }: ProcessResult): TransportError =>
  tooOld(label, stderr) ??
  new TransportError({
    host: label,
    code: 'ssh-config',
    message: `ssh cannot read its configuration for ${label}: ${redactedErrorOutput(stderr, []) || `exit code ${code}`}`,
    fix: fixFor(config),
  })

const lookupFailed = (label: string, config: string | undefined, error: ProcessError): TransportError =>
  new TransportError({
    host: label,
    code: 'ssh-config',
    message:
      error.code === 'not-found'
        ? `config is set under ssh for ${label}, but this machine has no ssh program to read it`
        : `ssh cannot read its configuration for ${label}: ${error.message}`,
    fix:
      error.code === 'not-found'
        ? 'Install the OpenSSH client, or set user, port, identity and jump under ssh instead.'
        : fixFor(config),
  })
