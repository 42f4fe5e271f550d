import { gzipSync } from 'node:zlib'
import { quote } from '../../base/shellWords.ts'
import { compiledFolder, musterApiCommand } from '../musterApiCommand.ts'
import { runOrThrow } from '../runOrThrow.ts'
import type { RuntimeChoice } from '../runtime/chooseRuntime.ts'
import { creation, type Step } from '../step.ts'
import type { StepTarget } from '../target.ts'
import { verifyChecksum } from '../verifyChecksum.ts'

/** Returns the target of the link to Node.js in the folder of a release. */
export const nodeLink = (runtime: RuntimeChoice): string =>
  runtime.kind === 'sent' ? `../../runtimes/${runtime.id}/node` : runtime.path

/** Packed programs: one program is sent to all hosts. */
const packed = new WeakMap<Buffer, Buffer>()

/**
 * Packs a program with gzip, to a third. As it is, it exceeds the window of a channel, 2 MiB with OpenSSH: the rest would
 * wait for the host, a round trip more. Synchronous, since the steps of a batch are sent so.
 */
function packedOnce(program: Buffer): Buffer {
  const bytes = packed.get(program) ?? gzipSync(program)
  packed.set(program, bytes)
  return bytes
}

/** Sends the server program to a release folder of its own and runs it there once, beside the running release. */
export function releaseStep(target: StepTarget): Step {
  const { release, layout, runtime, service } = target
  const title = `send muster-api ${release.version} as release ${release.id}`
  const id = quote(release.id)
  return {
    id: 'release',
    title,
    phase: 'stage',
    batchable: true,
    check: (facts) =>
      facts.installation.releases.some(({ id }) => id === release.id) ? undefined : creation(title),
    apply: async (transport) => {
      if (release.program === undefined) throw new Error(`${release.id} is not the release of this muster`)
      const { bundle, sha256 } = release.program
      await runOrThrow(transport, {
        doing: `sending release ${release.id}`,
        fix: `Check the free space in ${layout.root} and that gzip is installed, then install again.`,
        stdin: packedOnce(bundle),
        script: `set -e
cd ${quote(layout.releases)}
rm -rf .new-* ${id}
mkdir .new-release
cd .new-release
gzip -dc > muster-api.cjs
${verifyChecksum('muster-api.cjs', sha256, 'the program')}
ln -s ${quote(nodeLink(runtime))} node
chmod 755 .
chmod 644 muster-api.cjs
sync muster-api.cjs 2>/dev/null || sync
cd ..
mv .new-release ${id}
# Without .complete it is no release yet. It runs where it stays, since compiled code is kept by path.
${musterApiCommand(`${layout.releases}/${release.id}`, 'version')} > /dev/null || { rm -rf ${id}; exit 1; }
cd ${id}
# Node.js keeps it by user: what root compiled is for the service's user to read, and not to write.
for d in ${compiledFolder}/*; do
  [ -d "$d" ] || continue
  as=\${d%-*}-$(id -u ${quote(service.user)})
  [ -e "$as" ] || ln -s "\${d##*/}" "$as"
  chmod -R a+rX ${compiledFolder}
done
: > .complete
chmod 644 .complete`,
      })
    },
  }
}
