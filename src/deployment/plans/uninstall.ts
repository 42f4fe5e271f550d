import { type Component, components } from '../../contracts/component.ts'
import { quote } from '../../transport/shellWords.ts'
import type { HostFacts } from '../facts/model.ts'
import { installationDirectories, type Layout, unitDirectory, unitName } from '../layout.ts'
import { mustRun } from '../script.ts'
import { installedManager, stopScript } from '../services/control.ts'
import { drainTimeoutOf, stopPatience } from '../services/stopping.ts'
import { change, type Step } from '../step.ts'

/** What an uninstallation takes away on one host. */
export type Removal = { readonly cluster: string; readonly layout: Layout; readonly facts: HostFacts }

/**
 * Undoes an installation on one host: components, units, our own folders, and the system user if we made
 * it. What others put into the install-directory stays, and so does the folder then.
 */
export function uninstallPlan(removal: Removal): readonly Step[] {
  return [servicesStep(removal), filesStep(removal)]
}

const installed = (facts: HostFacts, layout: Layout): Component[] =>
  components.filter(
    (component) =>
      facts.installation.files.has(layout.settings(component)) ||
      (facts.services.get(component)?.state ?? 'absent') !== 'absent',
  )

function servicesStep({ cluster, layout, facts }: Removal): Step {
  return {
    id: 'services',
    title: 'stop and remove the components',
    phase: 'commit',
    check: (is) => {
      const names = installed(is, layout)
      return names.length === 0 ? undefined : change(`stop and remove ${names.join(', ')}`)
    },
    apply: async (transport) => {
      const names = installed(facts, layout)
      const units = names.map((component) => quote(unitName(cluster, component))).join(' ')
      const manager = installedManager(facts)
      const drainTimeout = drainTimeoutOf(facts)
      const remove = `systemctl --quiet disable ${units}
cd ${unitDirectory} && rm -f ${units}
systemctl daemon-reload
systemctl reset-failed ${units} 2>/dev/null || :`
      await mustRun(transport, {
        doing: `stopping ${names.join(', ')}`,
        fix: 'Look at the components by hand, then uninstall again.',
        timeout: stopPatience(drainTimeout),
        script: `${stopScript({ manager, cluster, layout, components: names, drainTimeout })}\n${manager === 'systemd' ? remove : ''}`,
      })
    },
  }
}

function filesStep({ layout, facts }: Removal): Step {
  const made = facts.installation.madeUser
  const title = `remove ${layout.root}${made === undefined ? '' : ` and the system user ${made}`}`
  return {
    id: 'files',
    title,
    phase: 'commit',
    check: ({ installation }) => {
      // An installation that was stopped in its first step has made its user, and has no manifest yet.
      const ours = installation.manifest !== undefined || installation.madeUser !== undefined
      return ours ? change(title) : undefined
    },
    apply: async (transport) => {
      const ours = [
        layout.current,
        layout.deployments,
        layout.before,
        ...installationDirectories(layout),
      ].filter((path) => path !== layout.share && !path.startsWith(`${layout.share}/`))
      // share/ goes last: as long as its manifest is there, a second run knows that the rest is ours.
      await mustRun(transport, {
        doing: `removing ${layout.root}`,
        fix: 'Remove what is in the way by hand, then uninstall again.',
        script: `set -e
cd /
rm -rf ${ours.map(quote).join(' ')}
${made === undefined ? '' : removeUser(made)}
rm -rf ${quote(layout.share)}
rmdir ${quote(layout.root)} 2>/dev/null || :`,
      })
    },
  }
}

const removeUser = (name: string): string =>
  `if id ${quote(name)} >/dev/null 2>&1; then userdel ${quote(name)}; fi`
