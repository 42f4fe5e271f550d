import { realpath } from 'node:fs/promises'
import { basename, dirname, resolve } from 'node:path'
import type { CommandContext } from '../../cli/context.ts'
import { stdinName } from '../../cli/readConfigFiles.ts'
import { literalSecrets } from '../../config/locatedSecret.ts'
import type { Draft } from '../../config/shape/draft.ts'
import type { Diagnostic } from '../../diagnostics/diagnostic.ts'
import { finding } from '../../diagnostics/finding.ts'

/** Milliseconds; git answers in a hundredth of it. */
const defaultTimeout = 5000

/**
 * The repository may be a stranger's: nothing that its configuration names is run (a monitor of files, hooks,
 * a way to fetch what is missing), and a repository that lies among its files is none.
 */
const safeGitOptions = [
  ['core.fsmonitor', 'false'],
  ['core.hooksPath', '/dev/null'],
  ['protocol.allow', 'never'],
  ['safe.bareRepository', 'explicit'],
].flatMap(([name, value]) => ['-c', `${name}=${value}`])

const gitEnvironment = {
  GIT_OPTIONAL_LOCKS: '0',
  GIT_TERMINAL_PROMPT: '0',
  GIT_NO_LAZY_FETCH: '1',
  GIT_CONFIG_COUNT: '0',
}

/**
 * Returns true if git tracks the file that the path leads to; false also without git, without a repository and after a
 * timeout.
 */
export async function isTracked(
  path: string,
  given: Pick<CommandContext, 'env' | 'signal'> & { readonly timeout?: number },
): Promise<boolean> {
  const { env, signal, timeout = defaultTimeout } = given
  const { run } = await import('../../processes/run.ts')
  try {
    const real = await realpath(path)
    const question = ['ls-files', '--error-unmatch', '--', basename(real)]
    const { code } = await run({
      command: [
        'git',
        '--no-pager',
        '--literal-pathspecs',
        ...safeGitOptions,
        '-C',
        dirname(real),
        ...question,
      ],
      env,
      extraEnv: gitEnvironment,
      timeout,
      signal,
    })
    return code === 0
  } catch {
    return false
  }
}

const plaintextSecretTracked = finding(
  'plaintext-secret-tracked',
  (facts: { name: string; file: string }) => ({
    message: `${facts.name} is in plain text in ${facts.file}, which git tracks.`,
    why: 'Everyone who can read the repository, its history or a copy can read the secret.',
    fix: `Use a reference (${facts.name}: !env NAME, or !file PATH with a file that git ignores). Then change the secret: the old one stays in the history.`,
  }),
)

/** Finds plaintext secrets in files that git tracks. Runs git only if there are such secrets. */
export async function trackedSecrets(
  drafts: readonly Draft[],
  context: CommandContext,
): Promise<readonly Diagnostic[]> {
  const secrets = drafts.flatMap(literalSecrets).filter(({ span }) => span.file !== stdinName)
  if (secrets.length === 0) return []
  const tracked = new Set<string>()
  for (const file of new Set(secrets.map(({ span }) => span.file))) {
    if (await isTracked(resolve(context.cwd, file), context)) tracked.add(file)
  }
  return secrets
    .filter(({ span }) => tracked.has(span.file))
    .map(({ spelling: name, span }) => plaintextSecretTracked({ name, file: span.file }, { span }))
}
