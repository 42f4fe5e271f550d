import { request } from 'node:https'
import type { LabHost } from '../../test/lab/support/labTypes.ts'

/** One path of an installation: type, mode, owner, target of a link and digest of the content. */
type Entry = { readonly path: string; readonly facts: string }

/** What differs by its nature, and in what it is compared all the same. */
const kinds: readonly (readonly [RegExp, string])[] = [
  [/^\/opt\/muster\/deployment\.jsonl$/, 'a record of muster itself; Ansible writes none'],
  [/^\/var\/log\/muster-alpha\/.*\.audit\.jsonl$/, 'written while running: type, mode and owner'],
  [
    /^\/var\/lib\/muster-alpha\/(?:manager|connector)\.json$/,
    'written while running, with times: type, mode and owner',
  ],
  [/\/\.activated$/, 'holds a time: type, mode and owner'],
  [/\/\.compiled\/[^/]+\/\w+$/, 'what V8 compiled, never twice the same: type, mode and owner'],
]

const script = `
{ find /opt/muster /etc/systemd/system /var/lib /var/log -path '*muster*' ! -type f -printf '%p\\t%y %m %u:%g %l -\\n'
find /opt/muster /etc/systemd/system /var/lib /var/log -path '*muster*' -type f -printf '%p\\t%y %m %u:%g %l \\n' |
  while IFS= read -r line; do printf '%s%s\\n' "$line" "$(sha256sum < "\${line%%	*}" | cut -c1-64)"; done; } | sort
getent passwd muster-alpha | cut -d: -f1,6,7 | sed 's/^/user\\t/'
for c in manager connector replicator; do
  printf 'unit %s\\t%s %s\\n' "$c" "$(systemctl is-enabled muster-alpha-$c)" "$(systemctl is-active muster-alpha-$c)"
done`

/** All that an installation is on a host, by path. */
export async function endStateOf(host: LabHost): Promise<readonly Entry[]> {
  const { code, stdout, stderr } = await host.run(script, { timeout: 120_000 })
  if (code !== 0) throw new Error(`${host.name}: ${stderr}`)
  return stdout
    .trim()
    .split('\n')
    .map((line) => {
      const [path = '', facts = ''] = line.split('\t')
      return { path, facts: kindOf(path) === undefined ? facts : facts.replace(/ [0-9a-f]{64}$/, '') }
    })
}

const kindOf = (path: string): string | undefined => kinds.find(([pattern]) => pattern.test(path))?.[1]

/** How two end states of a host differ, one line each; what only muster writes for itself is not counted. */
export function differences(one: readonly Entry[], other: readonly Entry[]): readonly string[] {
  const [before, after] = [one, other].map(
    (entries) => new Map(entries.map(({ path, facts }) => [path, facts])),
  )
  const paths = [...new Set([...(before?.keys() ?? []), ...(after?.keys() ?? [])])].sort()
  return paths.flatMap((path) => {
    const [is, was] = [after?.get(path), before?.get(path)]
    return is === was || path === '/opt/muster/deployment.jsonl' ? [] : [`${path}: ${was} → ${is}`]
  })
}

const ports = [8090, 8096, 8097]

/** The status of one login, the certificate verified; 0 where nothing answers. */
function login(host: LabHost, port: number, ca: Buffer, password: string): Promise<number> {
  return new Promise((resolve) => {
    const call = request(
      {
        host: host.address,
        port,
        path: '/api/v2/user/admin',
        ca,
        auth: `admin:${password}`,
        timeout: 20_000,
        agent: false,
      },
      (answer) => {
        answer.resume()
        answer.on('end', () => resolve(answer.statusCode ?? 0))
      },
    )
    call.on('timeout', () => call.destroy())
    call.on('error', () => resolve(0))
    call.end()
  })
}

/** Of all ports of all hosts: how many let the administrator in, and how many refuse a wrong password. */
export async function loginsOf(
  hosts: readonly LabHost[],
  ca: Buffer,
  password: string,
): Promise<{ readonly ports: number; readonly right: number; readonly wrong: number }> {
  const places = hosts.flatMap((host) => ports.map((port) => ({ host, port })))
  let [right, wrong] = [0, 0]
  for (const { host, port } of places) {
    if ((await login(host, port, ca, password)) === 200) right += 1
    if ((await login(host, port, ca, `${password}x`)) === 401) wrong += 1
  }
  return { ports: places.length, right, wrong }
}
