import { dirname } from 'node:path'
import { quote } from '../../base/shellWords.ts'
import { serviceManagerNames } from '../../config/settings/serviceManagerNames.ts'
import { components } from '../../contracts/component.ts'
import { hostPaths } from '../hostFiles.ts'
import { serviceManagers } from '../services/implementations.ts'
import { type Processes, processFunctions } from '../services/processManager.ts'

export const functionOf = (name: string, body: string): string => `${name}() {\n${body}\n}`

/**
 * Returns the sh functions of the scripts that take and restore a snapshot. `identity COMPONENT` prints what runs a
 * component, with pid and start time, to detect a restart; nothing if none runs.
 */
export const snapshotFunctions = (installed: Processes): string =>
  [
    processFunctions(installed),
    ...serviceManagerNames.flatMap((name) => {
      const { functions, identity } = serviceManagers[name].snapshot
      return [functions?.(installed) ?? '', functionOf(`identity_${name}`, identity)]
    }),
    `identity() { ${serviceManagerNames.map((name) => `identity_${name} "$1" || `).join('')}:; }`,
  ].join('\n')

/** Returns one call of an sh function for each possible component. */
export const forEachComponent = (call: string): string =>
  components.map((component) => `${call} ${component}`).join('\n')

/**
 * Returns sh that copies what a run will change into `.before`, completely or not at all: settings, stores, digests,
 * definitions of services, the target of `current`, and the running processes. Modes and owners stay; only the login
 * can open the folder. An existing snapshot stays: it is of the last verified state.
 */
export const takeScript = (installed: Processes): string => `set -e
cd ${quote(installed.layout.root)}
if [ -d .before ]; then exit 0; fi
${snapshotFunctions(installed)}
b=.before.new
rm -rf "$b"
trap 'rm -rf "$b"' EXIT
mkdir -m 700 "$b" "$b/units" "$b/turns" "$b/share"
for p in ${hostPaths(installed).below.map(quote).join(' ')} share/tls share/applied; do
  if [ -e "$p" ]; then cp -a "$p" "$b/share/"; fi
done
${hostPaths(installed).outside.map(copyOutside).join('')}readlink current > "$b/current" || :
for f in releases/*/.activated; do
  [ -f "$f" ] || continue
  f=\${f#releases/}
  cp -a "releases/$f" "$b/turns/\${f%/.activated}"
done
record_process() {
  is=$(identity "$1")
  if [ -n "$is" ]; then echo "$1 $is" >> "$b/running"; fi
}
${forEachComponent('record_process')}
${serviceManagerNames.map((name) => serviceManagers[name].snapshot.take ?? '').join('\n')}
sync -f "$b" 2>/dev/null || sync
trap - EXIT
mv -T "$b" .before`

/** Returns sh that copies a file outside the root, where there is one, to its path below the snapshot. */
const copyOutside = (path: string): string =>
  `if [ -e ${quote(path)} ]; then mkdir -p "$b"${quote(dirname(path))}; cp -a ${quote(path)} "$b"${quote(path)}; fi\n`

/** Returns sh that removes the snapshot of the current folder; by one rename, since half a snapshot must not be restored. */
export const removeSnapshotScript = `rm -rf .before.new
[ ! -e .before ] || mv -T .before .before.new || exit 1
rm -rf .before.new`

/** Returns sh that removes the snapshot after verification. */
export const discardScript = ({ layout }: Pick<Processes, 'layout'>): string =>
  `cd ${quote(layout.root)} || exit 1
${removeSnapshotScript}
rm -f ${quote(layout.wentBack)}`
