import type { LabHost } from '../support/labTypes.ts'

async function must(host: LabHost, script: string): Promise<string> {
  const { code, stdout, stderr } = await host.run(script)
  if (code !== 0) throw new Error(`${host.name}: ${stderr || `exit code ${code}`}`)
  return stdout
}

/** Every file of an installation with inode, times, size, mode and owner, and the pid of each service: equal before and after means untouched. */
export const installationState = (host: LabHost): Promise<string> =>
  must(
    host,
    `
    find /opt/muster /var/lib/muster-* /etc/systemd/system/muster-* ! -type d -printf '%p %y %i %T@ %C@ %s %m %u:%g %l\\n' | sort
    find /opt/muster -type d -printf '%p %i %m %u:%g\\n' | sort
    for unit in $(systemctl list-units --all --plain --no-legend 'muster-*' | cut -d ' ' -f 1); do
      echo "$unit $(systemctl show -P MainPID "$unit") $(systemctl show -P ActiveEnterTimestampMonotonic "$unit")"
    done`,
  )

/** Main process of each component's service, by component; 0 for one that does not run. */
export async function pidsOf(host: LabHost, cluster: string): Promise<Readonly<Record<string, number>>> {
  const components = ['manager', 'connector', 'replicator']
  const lines = await must(
    host,
    components
      .map((component) => `systemctl show -P MainPID muster-${cluster}-${component}.service`)
      .join('; '),
  )
  const pids = lines.trim().split('\n').map(Number)
  return Object.fromEntries(components.map((component, index) => [component, pids[index] ?? 0]))
}

/** Files that useradd and userdel leave as copies, and what the system itself writes as time goes by. */
const passing =
  /^\/etc\/(passwd|group|shadow|gshadow|subuid|subgid)-?$|^\/etc\/\.pwd\.lock$|^\/var\/(log|cache|tmp)\/|^\/var\/lib\/systemd\/|^\/tmp\/systemd-private/

/** Every path of the host's own files with type, size, mode and owner, and its users: equal means that nothing was written. */
export async function everythingOn(host: LabHost): Promise<readonly string[]> {
  const found = await must(
    host,
    `find /etc /home /opt /root /srv /tmp /usr /var $(ls -d /run/muster* 2>/dev/null) -xdev -printf '%p %y %m %u:%g %l\\n'; getent passwd; getent group`,
  )
  return found
    .trim()
    .split('\n')
    .filter((line) => !passing.test(line.split(' ')[0] ?? ''))
    .sort()
}

/** The processes, units, listeners and accounts of muster on a host; empty when nothing of it is left. */
export async function remains(host: LabHost): Promise<string> {
  const { stdout } = await host.run(`
    ls -d /opt/muster /var/lib/muster-* /var/log/muster-* /run/muster* /etc/systemd/system/muster* /etc/systemd/system/*/muster* 2>/dev/null
    systemctl list-units --all --plain --no-legend 'muster*'
    getent passwd | grep '^muster'; getent group | grep '^muster'
    pgrep -a -f 'muster-api' | grep -v pgrep
    ss -Hltn | awk '{ print $4 }' | grep -E ':(8090|8096|8097)$'
    true`)
  return stdout
}
