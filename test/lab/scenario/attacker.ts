import type { LabHost } from '../support/labTypes.ts'
import { must } from './onHost.ts'

/** Folders of a host in which the service user may write. */
export type OwnFolders = { readonly state: string; readonly log: string; readonly run: string }

/** One cluster for each way of running components, on a host of its own, with the folders of its service user. */
export const clusters = [
  {
    manager: 'systemd',
    host: 'db1',
    cluster: 'alpha',
    folders: { state: '/var/lib/muster-alpha', log: '/var/log/muster-alpha', run: '/run/muster-alpha' },
  },
  {
    manager: 'process',
    host: 'db2',
    cluster: 'beta',
    folders: { state: '/opt/muster/data', log: '/opt/muster/data', run: '/opt/muster/data' },
  },
] as const

/** What root has on a host that a compromised service user wants: to read, to write, to run, to signal. */
export type Canary = {
  /** Puts it in place; root's own process and socket with it. */
  readonly place: () => Promise<void>
  /** Everything that happened to it, in words; empty where nothing did. `printed` is what the operator saw. */
  readonly harm: (printed: string) => Promise<readonly string[]>
}

const secret = 'canary-4d1f7a-of-root'

/** A secret of root's that was never printed, a folder of root's that nothing is added to, a process that lives. */
export function canaryOn(host: LabHost): Canary {
  return {
    place: async () => {
      await must(
        host,
        `umask 077
printf '%s\\n' ${secret} > /root/canary
grep -q ^canary: /etc/shadow || printf 'canary:%s:1:0:9:7:::\\n' ${secret} >> /etc/shadow
printf '#!/bin/sh\\ntouch /root/executed\\nexec /opt/muster/current/node "$@"\\n' > /usr/local/share/evil
chmod 755 /usr/local/share/evil
ls -lA /etc/profile.d /etc/cron.d > /root/listing
setsid sleep 100000 </dev/null >/dev/null 2>&1 & echo $! > /root/sleeper
cat > /root/listener.js <<'END'
require('node:net').createServer((s) => { require('node:fs').appendFileSync('/root/connected', 'x'); s.destroy() }).listen('/run/canary.sock')
END
rm -f /run/canary.sock
setsid /opt/muster/current/node /root/listener.js </dev/null >/dev/null 2>&1 & echo $! > /root/listener
while [ ! -S /run/canary.sock ]; do sleep 0.1; done; chmod 600 /run/canary.sock`,
      )
    },
    harm: async (printed) => {
      const found = await must(
        host,
        `[ ! -e /root/executed ] || echo 'root ran a program of the service user'
[ ! -e /root/connected ] || echo 'root opened a socket that the service user named'
[ "$(cat /root/canary)" = ${secret} ] || echo 'a file of root was written'
ls -lA /etc/profile.d /etc/cron.d | cmp -s - /root/listing || echo 'a file was made in a folder of root'
kill -0 "$(cat /root/sleeper)" 2>/dev/null || echo 'a process of root was signalled'
kill -0 "$(cat /root/listener)" 2>/dev/null || echo 'the listener of root was signalled'
grep -q "^canary:${secret}:" /etc/shadow || echo 'the list of passwords was written'`,
      )
      const lines = found.split('\n').filter((line) => line !== '')
      return printed.includes(secret) ? [...lines, 'a secret of root was printed'] : lines
    },
  }
}

/** Runs a script as the service user, who has been taken over. */
export const asAttacker = (host: LabHost, user: string, script: string): Promise<string> =>
  must(
    host,
    `cat > /tmp/attack.sh; chmod 755 /tmp/attack.sh; setpriv --reuid=${user} --regid=${user} --clear-groups sh /tmp/attack.sh`,
    script,
  )

const components = ['manager', 'connector', 'replicator']

/** Ways in which the service user prepares its folders, by name. Each leaves the user file alone but where it says so. */
export const traps: Readonly<Record<string, (folders: OwnFolders) => string>> = {
  'links to files of root': ({ state, log, run }) => `
ln -sfn /etc/shadow ${state}/users.json.lock
for c in ${components.join(' ')}; do
  ln -sfn /etc/shadow ${log}/$c.audit.jsonl
  ln -sfn /etc/profile.d/planted.sh ${log}/$c.log
  ln -sfn /etc/shadow ${state}/$c.json
  ln -sfn /run/canary.sock ${run}/$c/api.sock 2>/dev/null || ln -sfn /run/canary.sock ${run}/$c.sock
done`,
  'pipes that nobody writes to': ({ state, log }) => `
rm -f ${state}/users.json.lock
mkfifo ${state}/users.json.lock
for c in ${components.join(' ')}; do
  rm -f ${log}/$c.audit.jsonl ${log}/$c.log ${state}/$c.json
  mkfifo ${log}/$c.audit.jsonl
  [ ${log} = ${state} ] || mkfifo ${state}/$c.json
done`,
  'names that hold rows and escapes, and files without an end': ({ state, log }) => `
rm -f ${state}/users.json.lock ${log}/*.audit.jsonl ${log}/*.log
for c in ${components.join(' ')}; do [ -p ${state}/$c.json ] && rm -f ${state}/$c.json; done
nl=$(printf '\\nx'); nl=\${nl%x}; tab=$(printf '\\t'); esc=$(printf '\\033]0;owned\\007\\033[2J')
for f in ${state} ${log}; do
  mkdir -p "$f/x\${nl}node\${tab}/usr/local/share/evil\${tab}v24.1.0\${tab}yes\${nl}y"
  mkdir -p "$f/x\${nl}release\${tab}..\${tab}9\${tab}now\${tab}/usr/local/share/evil\${tab}yes"
  : > "$f/\${esc}.json"
  truncate -s 4T "$f/endless.json" "$f/endless.log" "$f/manager.audit.jsonl.9"
done
mkdir -p ${state}/releases/9.9.9-aaaaaaaaaaaa && ln -sfn /usr/local/share/evil ${state}/releases/9.9.9-aaaaaaaaaaaa/node
: > ${state}/releases/9.9.9-aaaaaaaaaaaa/.complete`,
  'pid files of root’s processes': ({ state, run }) => `
for f in ${state} ${run}; do for c in ${components.join(' ')}; do
  echo "1 $(cut -d' ' -f22 /proc/1/stat) /usr/lib/systemd/systemd" > $f/$c.pid 2>/dev/null || :
done; done`,
}

/** The same of the user file itself: no user can log in any more, which is the attacker's to do. */
export const userFileTraps: Readonly<Record<string, (folders: OwnFolders) => string>> = {
  'a link to a file of root': ({ state }) =>
    `rm -rf ${state}/users.json; ln -s /etc/shadow ${state}/users.json`,
  'a pipe': ({ state }) => `rm -rf ${state}/users.json; mkfifo ${state}/users.json`,
  'a folder': ({ state }) => `rm -rf ${state}/users.json; mkdir ${state}/users.json`,
  'a file of 4 TiB': ({ state }) => `rm -rf ${state}/users.json; truncate -s 4T ${state}/users.json`,
  'a text with rows and escapes': ({ state }) =>
    `rm -rf ${state}/users.json; printf 'x\\nnode\\t/usr/local/share/evil\\tv24.1.0\\tyes\\n\\033[2J' > ${state}/users.json`,
}
