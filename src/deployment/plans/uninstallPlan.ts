import { quote } from '../../base/shellWords.ts'
import { type Component, components } from '../../contracts/component.ts'
import { installedData } from '../desiredService.ts'
import type { HostFacts } from '../facts/hostFacts.ts'
import { hostPaths } from '../hostFiles.ts'
import { allPlaces, type Installation } from '../installedAccount.ts'
import { installedSet } from '../installedSet.ts'
import { installationDirectories, type Layout, type ServiceData } from '../layout.ts'
import { runOrThrow } from '../runOrThrow.ts'
import { rotatedRecord } from '../runs/recorder.ts'
import { stopServices } from '../services/control.ts'
import { allDefinitions, serviceManagers } from '../services/implementations.ts'
import { removeData } from '../services/moveData.ts'
import { stopScriptTimeout } from '../services/stopTimeouts.ts'
import { deletion, type Step } from '../step.ts'

/** Installation to remove from one host. */
type Uninstallation = Installation & { readonly facts: HostFacts }

/**
 * Returns the steps that remove an installation from one host: components, units, muster's folders, and the system
 * user if muster created it. Files of others in the install-directory stay, and then the folder does too.
 */
export function uninstallPlan(removal: Uninstallation): readonly Step[] {
  return [servicesStep(removal), filesStep(removal)]
}

const installed = (facts: HostFacts, layout: Layout): Component[] =>
  components.filter(
    (component) =>
      facts.installation.files.has(layout.settings(component)) ||
      (facts.services.get(component)?.state ?? 'absent') !== 'absent',
  )

function servicesStep({ cluster, layout, facts }: Uninstallation): Step {
  return {
    id: 'services',
    title: 'stop and remove the components',
    phase: 'commit',
    check: (is) => {
      const names = installed(is, layout)
      return names.length === 0 ? undefined : deletion(`stop and remove ${names.join(', ')}`)
    },
    apply: async (transport) => {
      const names = installed(facts, layout)
      const services = names.map((component) => ({ cluster, component }))
      const set = { ...installedSet({ cluster, layout, facts }), components: names }
      await runOrThrow(transport, {
        doing: `stopping ${names.join(', ')}`,
        fix: 'Check the components on the host, then uninstall again.',
        timeout: stopScriptTimeout(set.drainTimeout),
        script: `${stopServices(set)}\n${serviceManagers[set.manager].definitions?.remove(services) ?? ''}`,
      })
    },
  }
}

function filesStep({ cluster, layout, facts }: Uninstallation): Step {
  const made = facts.installation.madeUser
  const { users, log } = dataToRemove({ cluster, layout, facts })
  const { outside } = hostPaths({ layout, cluster })
  const elsewhere = [users, log, ...outside].filter((path) => !path.startsWith(`${layout.root}/`))
  const title = `remove ${[layout.root, ...elsewhere].join(', ')}${made === undefined ? '' : ` and the system user ${made}`}`
  return {
    id: 'files',
    title,
    phase: 'commit',
    check: ({ installation }) => {
      // An installation interrupted in its first step has created its user but no manifest.
      const ours = installation.manifest !== undefined || installation.madeUser !== undefined
      return ours ? deletion(title) : undefined
    },
    apply: async (transport) => {
      const ours = [
        layout.current,
        layout.deployments,
        rotatedRecord(layout.deployments),
        layout.snapshot,
        `${layout.snapshot}.new`,
        layout.confirm,
        layout.wentBack,
        ...installationDirectories(layout),
        ...outside,
      ].filter((path) => path !== layout.share && !path.startsWith(`${layout.share}/`))
      // share/ is removed last: its manifest tells a second run that the rest belongs to muster.
      await runOrThrow(transport, {
        doing: `removing ${layout.root}`,
        fix: 'Fix the problem reported above, then uninstall again.',
        script: `set -e
cd /
${removeDataScript({ cluster, layout, facts })}
rm -rf ${ours.map(quote).join(' ')}
${made === undefined ? '' : removeUserScript(made)}
rm -rf ${quote(layout.share)}
rmdir ${quote(layout.root)} 2>/dev/null || :`,
      })
    },
  }
}

/** The place of the components' data, where there is any. */
function dataToRemove({ cluster, layout, facts }: Uninstallation): ServiceData {
  const { account, directories } = facts.installation
  const found = allPlaces({ layout, cluster }).find(({ users }) => directories.has(users))
  return account === undefined && found !== undefined ? found : installedData(facts, { layout, cluster })
}

/**
 * Returns sh that removes the components' data; if they were never started, the folders created for them, which
 * belong to the service user.
 */
function removeDataScript(removal: Uninstallation): string {
  const { account, directories } = removal.facts.installation
  const data = dataToRemove(removal)
  const user = account?.user ?? directories.get(data.users)?.owner.split(':')[0] ?? 'root'
  return removeData(data, { user, isOther: removal.facts.uid === 0 && user !== 'root' })
}

/** Seconds for the search for files of a user. */
const searchTimeout = 60

/**
 * Returns sh that removes the system user unless it owns anything else: a process, a unit of another installation, or
 * a file on the host's own disks. If the search times out, the user stays, which does no harm.
 */
export const removeUserScript = (name: string): string => {
  const user = quote(name)
  const others = ['proc', 'sysfs', 'nfs', 'nfs4', 'cifs', 'fuse', 'autofs'].map((type) => `-fstype ${type}`)
  return `if id ${user} >/dev/null 2>&1; then
  uid=$(id -u ${user})
  why=
  for p in /proc/[0-9]*; do [ "$(stat -c %u "$p" 2>/dev/null)" != "$uid" ] || why="it has running processes"; done
  ${allDefinitions()
    .map(({ usesUser }) => usesUser(name))
    .join('\n  ')}
  if [ -z "$why" ]; then
    found=$(timeout ${searchTimeout} find / \\( ${others.join(' -o ')} \\) -prune -o -user ${user} -print -quit 2>/dev/null) && code=0 || code=$?
    if [ "$code" = 124 ]; then why='the search for its files timed out after ${searchTimeout} s'
    elif [ -n "$found" ]; then why='it owns files'; fi
  fi
  if [ -z "$why" ]; then userdel ${user}; else echo "kept the system user "${user}": $why" >&2; fi
fi`
}
