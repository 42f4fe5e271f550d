import { quote } from '../../base/shellWords.ts'
import { clusterPrefix } from '../layout.ts'
import type { ServiceDefinitions, ServiceId } from './serviceManager.ts'
import { stopSeconds } from './stopTimeouts.ts'

/** Returns the name of a component's systemd unit; it contains the cluster so that two clusters can share a host. */
export const unitName = ({ cluster, component }: ServiceId): string =>
  `${clusterPrefix(cluster)}-${component}.service`

/** Returns the names as words of sh. */
export const unitNames = (services: readonly ServiceId[]): string =>
  services.map((id) => quote(unitName(id))).join(' ')

/** Folder for units of administrators (systemd.unit(5)). */
export const unitDirectory = '/etc/systemd/system'

/**
 * Returns the sh functions `booted`, true if systemd is process 1, and `unit_of COMPONENT`, which sets `unit`; and
 * the variable `units`.
 */
export const unitFunctions = (cluster: string): string => `units=${unitDirectory}
booted() { [ -d /run/systemd/system ]; }
unit_of() { unit=${quote(`${clusterPrefix(cluster)}-`)}$1.service; }`

const unitPath = (id: ServiceId): string => `${unitDirectory}/${unitName(id)}`

/** systemd units, one per component. */
export const systemdUnits: ServiceDefinitions = {
  noun: 'systemd units',
  tool: 'systemctl',
  name: unitName,
  path: unitPath,
  factKey: 'unit',
  mode: 0o644,
  template: 'muster-component.service',
  values: ({ root, user, group, limits, cluster, component, ...service }) => ({
    cluster,
    component,
    user,
    group,
    installDirectory: root.replaceAll('%', '%%').replaceAll('$', '$$$$'),
    stopSeconds: String(stopSeconds(service.drainTimeout)),
    capabilities: service.privileged ? 'CAP_NET_BIND_SERVICE' : '',
    addresses: service.talksToOthers ? 'any' : 'localhost',
    protectHome: /^\/(home|root|run\/user)\//.test(root) ? 'tmpfs' : 'true',
    memoryMax: String(limits.memoryMax),
    cpuWeight: String(limits.cpuWeight),
    tasksMax: String(limits.tasksMax),
    oomScoreAdjust: String(limits.oomScoreAdjust),
  }),
  folderIn: (unit) => /^ExecStart="(\/.*?)\/current\/node" /m.exec(unit)?.[1]?.replaceAll(/([%$])\1/g, '$1'),
  // Without --no-reload `enable` would reload as well: every reload runs all generators of the host.
  enable: (services) =>
    `systemctl --quiet --no-reload enable ${unitNames(services)}\nsystemctl daemon-reload`,
  remove: (services) => `systemctl --quiet disable --now ${unitNames(services)}
rm -f ${services.map((id) => quote(unitPath(id))).join(' ')}
systemctl daemon-reload
systemctl reset-failed ${unitNames(services)} 2>/dev/null || :`,
  usesUser: (user) =>
    `if grep -qsx ${quote(`User=${user}`)} ${unitDirectory}/*.service; then why='a unit in ${unitDirectory} runs as that user'; fi`,
}
