import { UsageError } from '../cli/usageError.ts'

/** Throws a `UsageError` for --runtime-file together with --release. */
export function refuseRuntimeFile(release: string | undefined, runtimeFile: string | undefined): void {
  if (release === undefined || runtimeFile === undefined) return
  throw new UsageError(
    `--runtime-file cannot be used with --release: release ${release} runs on the Node.js it was installed with.`,
    'Leave out one of them.',
  )
}
