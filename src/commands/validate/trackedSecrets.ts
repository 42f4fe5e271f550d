import { resolve } from 'node:path'
import type { CommandContext } from '../../cli/context.ts'
import { stdinName } from '../../cli/readConfigFiles.ts'
import { literalSecrets } from '../../config/locatedSecret.ts'
import type { Draft } from '../../config/shape/draft.ts'
import { diagnose } from '../../diagnostics/diagnose.ts'
import type { Diagnostic } from '../../diagnostics/diagnostic.ts'

/** Every secret that stands written out in a file which git tracks. Without such a secret nobody asks git. */
export async function trackedSecrets(
  drafts: readonly Draft[],
  context: CommandContext,
): Promise<readonly Diagnostic[]> {
  const secrets = drafts.flatMap(literalSecrets).filter(({ span }) => span.file !== stdinName)
  if (secrets.length === 0) return []
  const { isTracked } = await import('./isTracked.ts')
  const tracked = new Set<string>()
  for (const file of new Set(secrets.map(({ span }) => span.file))) {
    if (await isTracked(resolve(context.cwd, file), context)) tracked.add(file)
  }
  return secrets
    .filter(({ span }) => tracked.has(span.file))
    .map(({ spelling: name, span }) =>
      diagnose('plaintext-secret-tracked', { name, file: span.file }, { span }),
    )
}
