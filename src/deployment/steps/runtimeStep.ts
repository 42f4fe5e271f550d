import { quote } from '../../base/shellWords.ts'
import { runOrThrow } from '../runOrThrow.ts'
import type { PackedRuntime, SentRuntime } from '../runtime/chooseRuntime.ts'
import { creation, type Step } from '../step.ts'
import { StepError } from '../stepError.ts'
import type { StepTarget } from '../target.ts'
import { verifyChecksum } from '../verifyChecksum.ts'

/** Milliseconds for 50 MB over a slow line. */
const sendTimeout = 900_000

/**
 * Sends the Node.js runtime: packed, once, to a folder named by its content, and verifies it there by digest and by
 * running it.
 */
export function runtimeStep(
  target: StepTarget,
  packed: (runtime: SentRuntime) => PackedRuntime | undefined,
): Step {
  const { runtime, layout } = target
  const title = runtime.kind === 'sent' ? `send the runtime ${runtime.id}` : `use ${runtime.path}`
  return {
    id: 'runtime',
    title,
    phase: 'stage',
    batchable: true,
    check: (facts) =>
      runtime.kind === 'sent' && !facts.installation.runtimes.includes(runtime.id)
        ? creation(title)
        : undefined,
    apply: async (transport) => {
      if (runtime.kind !== 'sent') return
      const sent = packed(runtime)
      if (sent === undefined) throw new Error(`the runtime ${runtime.id} was not fetched`)
      const { stdout } = await runOrThrow(transport, {
        doing: `sending the runtime ${runtime.id}`,
        fix: `Check the free space and mount options (noexec) of ${layout.root}; the binary needs glibc 2.28 or newer.`,
        stdin: sent.bytes,
        timeout: sendTimeout,
        script: sendScript(layout.runtimes, runtime.id, sent.sha256),
      })
      requireVersion(transport.host, runtime, stdout.raw().trim())
    },
  }
}

/** Checks the packed bytes, a third of the binary; their unpacked content is known, and gzip checks it again. */
function sendScript(runtimes: string, id: string, packedSha256: string): string {
  return `set -e
cd ${quote(runtimes)}
rm -rf .new-*
mkdir .new-${id}
cd .new-${id}
cat > node.gz
${verifyChecksum('node.gz', packedSha256, 'the binary')}
gzip -dc node.gz > node
rm node.gz
chmod 755 . node
./node --version
: > .complete
chmod 644 .complete
sync node 2>/dev/null || sync
cd ..
rm -rf ${quote(id)}
mv .new-${id} ${quote(id)}`
}

function requireVersion(host: string, runtime: SentRuntime, printed: string): void {
  const major = Number(/^v(\d+)\./.exec(printed)?.[1] ?? 0)
  const matches = runtime.version === undefined ? major >= 20 : printed === runtime.version
  if (matches) return
  throw new StepError({
    host,
    code: 'runtime-unfit',
    message: `the copied runtime reports ${printed === '' ? 'no version' : `version ${printed}`}`,
    fix: 'Use --runtime-file with Node.js 22 or newer.',
  })
}
