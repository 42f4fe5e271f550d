import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { execute, succeed } from '../../test/lab/support/execute.ts'
import type { LabHost } from '../../test/lab/support/labTypes.ts'
import { type BenchHosts, fetchTrees, password, wipe } from './hosts.ts'

const rounds = 3

/**
 * What a host does and nothing else: the bytes out of standard input to their places, checked and on the disk, the
 * runtime unpacked, the units started, all ports answering and three logins. The password comes first on standard input.
 */
const script = (authority: string): string => `set -e
read -r pass
useradd --system --user-group --no-create-home --home-dir /opt/muster --shell /usr/sbin/nologin muster-alpha
tar -C / --numeric-owner -xpf -
cd /opt/muster/runtimes/node-*
sha256sum -c --status sum
gzip -d node.gz
chmod 755 node
sync node ../../releases/*/muster-api.cjs
/opt/muster/current/node /opt/muster/current/muster-api.cjs version >/dev/null
systemctl daemon-reload
systemctl --quiet enable --now muster-alpha-manager muster-alpha-connector muster-alpha-replicator
cat > /run/ca.crt <<'END'
${authority}
END
for port in 8090 8096 8097; do
  until printf 'user = "admin:%s"\\n' "$pass" | curl -sSf -o /dev/null -K - --cacert /run/ca.crt \\
    "https://$(hostname):$port/api/v2/user/admin" 2>/dev/null; do sleep 0.1; done
done
`

/** One OpenSSH process and one script a host, all at once: milliseconds until the last has come to its end. */
export async function againstFloor(bench: BenchHosts, authority: () => string): Promise<object> {
  const { hosts, lab, ssh } = bench
  await bench.install()
  const source = join(lab.directory, 'floor')
  mkdirSync(source)
  await fetchTrees(bench, source)
  // It goes with the rest, and the next installation makes another.
  const command = script(authority())
  await bench.remove()
  await packAll(hosts, source)
  const floor = async (): Promise<number> => {
    const began = performance.now()
    await Promise.all(
      hosts.map(async (host) => {
        const send = 'file=$1; shift; { printf "%s\\n" "$PASS"; cat "$file"; } | ssh "$@"'
        const words = ['-c', send, 'floor', join(source, `${host.name}.tar`), ...ssh(host), command]
        const { code, stderr } = await execute('bash', words, { env: { ...process.env, PASS: password } })
        if (code !== 0) throw new Error(`the floor on ${host.name} ended with ${code}: ${stderr}`)
      }),
    )
    return performance.now() - began
  }
  const measured: { readonly muster: number; readonly floor: number }[] = []
  for (let round = 0; round < rounds; round += 1) {
    const least = await floor()
    await wipe(bench)
    const muster = await bench.install()
    await bench.remove()
    measured.push({ muster, floor: least })
  }
  const ratios = measured.map(({ muster, floor: least }) => muster / least).toSorted((a, b) => a - b)
  return {
    ratio: Math.round((ratios[Math.floor(rounds / 2)] ?? Number.NaN) * 100) / 100,
    limit: 'at most 1.3',
    seconds: measured.map((one) => ({
      muster: Math.round(one.muster) / 1000,
      floor: Math.round(one.floor) / 1000,
    })),
  }
}

/** One archive a host: the tree, its runtime packed as muster packs it. */
async function packAll(hosts: readonly LabHost[], source: string): Promise<void> {
  for (const [index, { name }] of hosts.entries()) {
    const pack = `set -e; cd "$1"; rm -f opt/muster/deployment.jsonl var/lib/muster-alpha/manager.json
cd opt/muster/runtimes/node-*
if [ -n "$3" ]; then cp "$3" node.gz; rm node; else gzip node; fi
sha256sum node.gz > sum
cp node.gz "$2.node.gz"; cd "$1"; tar --numeric-owner -cpf "$2" opt etc var`
    const earlier = index === 0 ? '' : join(source, `${hosts[0]?.name}.tar.node.gz`)
    await succeed('bash', ['-c', pack, 'pack', join(source, name), join(source, `${name}.tar`), earlier])
  }
}
