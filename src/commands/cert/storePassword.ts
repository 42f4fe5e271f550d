import { capitalized } from '../../base/words.ts'
import type { CommandContext } from '../../cli/context.ts'
import { readPassword } from '../../cli/readPassword.ts'
import { UsageError } from '../../cli/usageError.ts'
import { defaultTruststorePassword } from '../../output/deployment/exportUsage.ts'
import { Secret } from '../../secrets/secret.ts'

/** Where the password of an exported store comes from. */
type StorePasswordOptions = {
  readonly context: CommandContext
  readonly passwordFile: string | undefined
  readonly passwordStdin: boolean
}

/** Of a truststore, which holds nothing secret: the one that is given, else what Java itself uses. */
export async function truststorePassword(
  options: StorePasswordOptions,
): Promise<{ readonly password: Secret; readonly usual: boolean }> {
  const { context, passwordFile, passwordStdin } = options
  const given = passwordFile !== undefined || passwordStdin || Boolean(context.env.MUSTER_STORE_PASSWORD)
  if (!given) return { password: new Secret(defaultTruststorePassword), usual: true }
  return { password: await ask(options, 'the password of the truststore'), usual: false }
}

/** Of a keystore, which holds a key: given or asked for. */
export const keystorePassword = (options: StorePasswordOptions): Promise<Secret> =>
  ask(options, 'the password of the keystore')

/** Characters; Java takes no shorter one when it writes a store. */
const shortest = 6

async function ask(
  { context, passwordFile, passwordStdin }: StorePasswordOptions,
  what: string,
): Promise<Secret> {
  const password = await readPassword({
    context,
    what,
    options: { file: '--password-file', stdin: '--password-stdin', variable: 'MUSTER_STORE_PASSWORD' },
    file: passwordFile,
    stdin: passwordStdin,
    twice: true,
  })
  if ([...password.reveal()].length >= shortest) return password
  throw new UsageError(
    `${capitalized(what)} is too short.`,
    `Use at least ${shortest} characters: keytool refuses fewer.`,
  )
}
