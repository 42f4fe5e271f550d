import type { LabHost } from '../support/labTypes.ts'
import { must } from './onHost.ts'

/**
 * Lays the installation of a cluster on a host out as muster did before it split folders by owner: everything below
 * /opt/muster, users, states, logs and sockets in folders of the user `muster`, who owns the certificates, too.
 */
export async function layOutAsBefore(
  host: LabHost,
  { cluster, manager }: { readonly cluster: string; readonly manager: 'systemd' | 'process' },
): Promise<void> {
  const name = `muster-${cluster}`
  const [state, log] =
    manager === 'systemd'
      ? [`/var/lib/${name}`, `/var/log/${name}`]
      : ['/opt/muster/data', '/opt/muster/data']
  const socket = manager === 'systemd' ? `/run/${name}/\\1/api.sock` : '/opt/muster/data/\\1.sock'
  await must(
    host,
    `cd /opt/muster
components='manager connector replicator'
for c in $components; do
  if [ ${manager} = systemd ]; then systemctl stop ${name}-$c.service; else kill "$(cut -d' ' -f1 share/processes/$c)"; fi
done
while pgrep -u ${name} >/dev/null; do sleep 0.1; done
groupmod -n muster ${name}; usermod -l muster ${name}; echo muster > share/made-user
mkdir -p share/users share/state log run
mv ${state}/users.json share/users/
for c in $components; do
  [ ! -f ${state}/$c.json ] || mv ${state}/$c.json share/state/
  mv ${log}/$c.audit.jsonl log/
  sed -i -E 's#${state}/users.json#/opt/muster/share/users/users.json#; s#${log}/('$c'.audit.jsonl)#/opt/muster/log/\\1#; s#${state}/('$c'.json)#/opt/muster/share/state/\\1#; s#${socket.replace('\\1', '(manager|connector|replicator)')}#/opt/muster/run/\\1.sock#' share/$c.json
  # The shell of root opened the log of a process.
  sed -i -z -E 's#,[[:space:]]*"log": \\{[^}]*\\}##' share/$c.json
done
rm -rf ${state} ${log} share/account share/processes
chown -R muster:muster share/users share/state log run share/tls/* share/secrets.json
chmod 600 share/tls/* share/secrets.json; chmod 700 share/users share/state; chmod 750 log run
if [ ${manager} = systemd ]; then
  for c in $components; do
    sed -i -E '/^(State|Logs|Runtime)Directory/d; s#^(User|Group)=.*#\\1=muster#; s#^BindReadOnlyPaths=.*#&\\nReadWritePaths=/opt/muster/share/users /opt/muster/share/state /opt/muster/log /opt/muster/run#' /etc/systemd/system/${name}-$c.service
  done
  systemctl daemon-reload
  for c in $components; do systemctl start ${name}-$c.service; done
else
  for c in $components; do
    : > log/$c.log; chmod 600 log/$c.log
    setpriv --reuid=muster --regid=muster --clear-groups setsid current/node current/muster-api.cjs serve --settings /opt/muster/share/$c.json </dev/null >> log/$c.log 2>&1 &
    echo "$! $(cut -d' ' -f22 /proc/$!/stat) x" > run/$c.pid; chown muster: run/$c.pid
  done
fi
for c in $components; do while [ ! -S run/$c.sock ]; do sleep 0.1; done; done`,
  )
}
