import { quote } from '../../transport/shellWords.ts'
import { compiledFolder, ownProgram } from '../ownProgram.ts'
import { mustRun } from '../script.ts'
import { change, type Step } from '../step.ts'
import type { Target } from '../target.ts'

/** Sends the server program into a release folder of its own and runs it there once, beside what is running. */
export function releaseStep(target: Target): Step {
  const { release, layout, runtime, service } = target
  const title = `send muster-api ${release.version} as release ${release.id}`
  const node = runtime.kind === 'sent' ? `../../runtimes/${runtime.id}/node` : runtime.path
  return {
    id: 'release',
    title,
    phase: 'stage',
    atOnce: true,
    check: (facts) =>
      facts.installation.releases.some(({ id }) => id === release.id) ? undefined : change(title),
    apply: async (transport) => {
      await mustRun(transport, {
        doing: `sending release ${release.id}`,
        fix: `Look at free space of ${layout.root}, then install again.`,
        stdin: release.bundle,
        script: `set -e
cd ${quote(layout.releases)}
rm -rf .new-*
mkdir .new-release
cd .new-release
cat > muster-api.cjs
[ "$(sha256sum < muster-api.cjs | cut -d' ' -f1)" = ${release.sha256} ] || { echo 'the program arrived damaged' >&2; exit 1; }
ln -s ${quote(node)} node
chmod 755 .
chmod 644 muster-api.cjs
${ownProgram('.', 'version')} > /dev/null
# Node.js keeps it by user: what root compiled is for the service's user to read, and not to write.
for d in ${compiledFolder}/*; do
  [ -d "$d" ] || continue
  as=\${d%-*}-$(id -u ${quote(service.user)})
  [ -e "$as" ] || ln -s "\${d##*/}" "$as"
done
chmod -R a+rX ${compiledFolder} 2>/dev/null || :
: > .complete
chmod 644 .complete
sync muster-api.cjs 2>/dev/null || sync
cd ..
rm -rf ${quote(release.id)}
mv .new-release ${quote(release.id)}`,
      })
    },
  }
}
