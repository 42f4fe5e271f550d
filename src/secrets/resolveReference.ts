import { policyRefusal, requiredFolder, trustFix } from './policy.ts'
import { redactedErrorOutput } from './redactedErrorOutput.ts'
import type { SecretReference } from './reference.ts'
import { Secret } from './secret.ts'
import { SecretError, type SecretErrorCode } from './secretError.ts'
import type { SecretSources } from './sources.ts'

type Fail = (code: SecretErrorCode, reason: string, fix: string) => SecretError

const secretOnlyFix = 'Write only the secret into it, as text.'

const relativeFix = 'Correct the path. A relative path starts in the folder of the YAML file.'
const rightsFix = 'Check the owner and the permissions of the file with ls -l.'

/** Removes the final line break of a file or a program's output, which is no part of the secret. */
const withoutLastBreak = (text: string): string => text.replace(/\r?\n$/, '')

function fromEnv(name: string, env: SecretSources['env'], fail: Fail): Secret {
  const value = env[name]
  const fix = `Set it for this command, for example: read -rs ${name} && export ${name}`
  if (value === undefined) throw fail('variable-missing', `the environment variable ${name} is not set`, fix)
  if (value === '') throw fail('secret-empty', `the environment variable ${name} is empty`, fix)
  return new Secret(value)
}

function decoded(content: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content)
  } catch {
    return undefined
  }
}

async function fromFile(
  reference: Extract<SecretReference, { kind: 'file' }>,
  sources: SecretSources,
  fail: Fail,
): Promise<Secret> {
  const bound = requiredFolder(reference, sources.policy)
  const name = `the file ${reference.written ?? reference.path}`
  const read = await sources.readFile(reference.path, bound)
  if (!read.ok) {
    if (read.problem === 'missing') throw fail('file-missing', `${name} ${read.reason}`, relativeFix)
    const fix = read.problem !== 'unreadable' && bound !== undefined ? trustFix : rightsFix
    throw fail('file-unreadable', `${name} ${read.reason}`, fix)
  }
  const text = decoded(read.content)
  if (text === undefined) throw fail('file-not-text', `${name} is not UTF-8 text`, secretOnlyFix)
  const secret = withoutLastBreak(text)
  if (secret === '') throw fail('secret-empty', `${name} is empty`, secretOnlyFix)
  return new Secret(secret)
}

async function fromExec(
  reference: Extract<SecretReference, { kind: 'exec' }>,
  sources: SecretSources,
  fail: Fail,
): Promise<Secret> {
  const [program] = reference.command
  const name = `the program ${program}`
  const fix = `Run ${program} by hand in the folder of the YAML file, with the same arguments. It must exit with 0 and print only the secret.`
  const { failure, stdout, stderr } = await sources.runProgram(reference.command, reference.at?.directory)
  if (failure !== undefined) {
    const errorOutput = redactedErrorOutput(
      stderr,
      [stdout, ...sources.known].map((secret) => secret.reveal()),
    )
    throw fail(
      'program-failed',
      `${name} ${failure}${errorOutput === '' ? '' : ` and said: ${errorOutput}`}`,
      fix,
    )
  }
  const secret = withoutLastBreak(stdout.reveal())
  if (secret === '') throw fail('secret-empty', `${name} printed nothing`, fix)
  return new Secret(secret)
}

/**
 * Reads a secret, as far as the policy allows. Drops one final line break of a file or a program. Rejects
 * with `SecretError` and nothing else.
 */
export async function resolveReference(reference: SecretReference, sources: SecretSources): Promise<Secret> {
  if (reference.kind === 'literal') return reference.value
  const { at } = reference
  const fail: Fail = (code, reason, fix) => new SecretError({ code, reason, fix, at })
  const refusal = policyRefusal(reference, sources.policy)
  if (refusal !== undefined) throw fail('secret-withheld', refusal.reason, refusal.fix)
  switch (reference.kind) {
    case 'env':
      return fromEnv(reference.name, sources.env, fail)
    case 'file':
      return fromFile(reference, sources, fail)
    case 'exec':
      return fromExec(reference, sources, fail)
  }
}
