import type { SecretReference } from './reference.ts'
import { Secret } from './secret.ts'
import { SecretError } from './secretError.ts'

/** Where secrets are read from; handed in by whoever may touch the world. */
export type SecretSources = {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Rejects as `node:fs` does, with a `code`. */
  readonly readFile: (path: string) => Promise<Buffer | string>
  /** Runs a program without a shell; rejects when it could not be run at all. */
  readonly runCommand: (
    command: readonly [string, ...string[]],
  ) => Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }>
}

const mostStderr = 1000

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** A file or a program ends its text with a line break that is no part of the secret. */
const withoutLastBreak = (text: string): string => text.replace(/\r?\n$/, '')

function filled(text: string, from: { origin: string; fix: string }): Secret {
  if (text !== '') return new Secret(text)
  const message = `The secret from ${from.origin} is empty.`
  throw new SecretError({ code: 'secret-empty', message, fix: from.fix })
}

function fromEnv(name: string, env: SecretSources['env']): Secret {
  const value = env[name]
  const fix = `Set it for this command, for example: read -rs ${name} && export ${name}`
  if (value === undefined) {
    const message = `The environment variable ${name} is not set.`
    throw new SecretError({ code: 'variable-missing', message, fix })
  }
  return filled(value, { origin: `the environment variable ${name}`, fix })
}

function decoded(content: Buffer | string, path: string): string {
  if (typeof content === 'string') return content
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content)
  } catch {
    const message = `The secret file ${path} is not UTF-8 text.`
    throw new SecretError({ code: 'file-not-text', message, fix: 'Write the secret alone into it, as text.' })
  }
}

async function fromFile(path: string, readFile: SecretSources['readFile']): Promise<Secret> {
  const content = await readFile(path).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') {
      const message = `There is no secret file ${path}.`
      const fix = 'Correct the path; a relative one is relative to the YAML file.'
      throw new SecretError({ code: 'file-missing', message, fix, cause: error })
    }
    const message = `The secret file ${path} cannot be read: ${messageOf(error)}.`
    const fix = 'Check who owns the file and its permissions: ls -l shows both.'
    throw new SecretError({ code: 'file-unreadable', message, fix, cause: error })
  })
  const text = withoutLastBreak(decoded(content, path))
  return filled(text, { origin: `the file ${path}`, fix: 'Write the secret alone into it, as text.' })
}

async function fromExec(
  command: readonly [string, ...string[]],
  runCommand: SecretSources['runCommand'],
): Promise<Secret> {
  const [program] = command
  const fix = `Run ${program} by hand with the same arguments: it must end well and print the secret alone.`
  const result = await runCommand(command).catch((error: unknown) => {
    const message = `The program ${program}, which gives a secret, could not be run: ${messageOf(error)}.`
    throw new SecretError({ code: 'program-not-run', message, fix, cause: error })
  })
  if (result.code !== 0) {
    const said = result.stderr.trim().slice(-mostStderr)
    const message = `The program ${program}, which gives a secret, ended with code ${result.code}`
    const detail = said === '' ? '.' : ` and said: ${said}`
    throw new SecretError({ code: 'program-failed', message: message + detail, fix })
  }
  return filled(withoutLastBreak(result.stdout), { origin: `the program ${program}`, fix })
}

/**
 * Reads a secret from where the configuration says. The last line break of a file or a program is dropped, once.
 * Rejects with `SecretError` and nothing else.
 */
export async function resolveReference(reference: SecretReference, sources: SecretSources): Promise<Secret> {
  switch (reference.kind) {
    case 'literal':
      return reference.value
    case 'env':
      return fromEnv(reference.name, sources.env)
    case 'file':
      return fromFile(reference.path, sources.readFile)
    case 'exec':
      return fromExec(reference.command, sources.runCommand)
  }
}
