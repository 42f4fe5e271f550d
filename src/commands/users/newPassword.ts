import type { CommandContext } from '../../cli/context.ts'
import { readPassword } from '../../cli/readPassword.ts'
import { UsageError } from '../../cli/usageError.ts'
import { passwordWeakness } from '../../config/passwordFinding.ts'
import { passwordProblems } from '../../contracts/credentialRules.ts'
import type { Secret } from '../../secrets/secret.ts'

/** The password that --new-password names: of a file, or of standard input for `-`. Throws a `UsageError`. */
export async function readNewPassword(
  context: CommandContext,
  { user, from }: { readonly user: string; readonly from: string },
): Promise<Secret> {
  const password = await readPassword({
    context,
    what: `the new password of ${user}`,
    options: { file: '--new-password', stdin: '--new-password -', variable: 'MUSTER_NEW_PASSWORD' },
    ...(from === '-' ? { stdin: true } : { file: from }),
    twice: true,
  })
  const fix = 'Choose another one: at least 12 characters at random.'
  const problems = passwordProblems(password.reveal())
  if (problems.length > 0) throw new UsageError(`The new password ${problems.join(', and ')}.`, fix)
  const weakness = passwordWeakness(password.reveal(), user)
  if (weakness === undefined) return password
  if (weakness.known) throw new UsageError(`The new password is ${weakness.reason}.`, fix)
  context.stderr.write(`warning: the new password ${weakness.reason}\n  fix: ${fix}\n`)
  return password
}
