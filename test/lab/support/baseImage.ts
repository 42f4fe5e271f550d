import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { aptMirror } from './aptMirror.ts'
import { succeed } from './execute.ts'
import { runs } from './processTable.ts'

const usual = [
  'openssh-server',
  'systemd',
  'systemd-sysv',
  'dbus',
  'iproute2',
  'sudo',
  'procps',
  'curl',
  'ca-certificates',
  'mariadb-server',
]

/** Raised when `finish` below changes, so that old bases are built anew. */
const recipe = 4

/** What every host of the lab shares. No Node.js: a database host has none either. */
async function finish(base: string): Promise<void> {
  // Each host makes its own of these; shared ones would make changed host keys invisible to the tests.
  for (const name of readdirSync(join(base, 'etc/ssh')).filter((file) => file.startsWith('ssh_host_'))) {
    rmSync(join(base, 'etc/ssh', name))
  }
  rmSync(join(base, 'etc/machine-id'), { force: true })
  rmSync(join(base, 'var/lib/dbus/machine-id'), { force: true })
  rmSync(join(base, 'var/cache/apt/archives'), { recursive: true, force: true })
  mkdirSync(join(base, 'var/cache/apt/archives/partial'), { recursive: true })
  await succeed('systemctl', [`--root=${base}`, 'enable', 'systemd-networkd.service'])
  // Questions on the console and jobs that want the internet: neither has an answer here.
  await succeed('systemctl', [
    `--root=${base}`,
    'mask',
    'systemd-firstboot.service',
    'apt-daily.timer',
    'apt-daily-upgrade.timer',
  ])
  // Runs where a test gives the host a database (../scenario/databases.ts).
  // A host without a machine-id enables everything at its first boot that no preset forbids (machine-id(5)).
  await succeed('systemctl', [`--root=${base}`, 'disable', 'mariadb.service', 'mariadb.socket'])
  mkdirSync(join(base, 'etc/systemd/system-preset'), { recursive: true })
  writeFileSync(join(base, 'etc/systemd/system-preset/10-lab.preset'), 'disable mariadb.*\n')
  mkdirSync(join(base, 'var/log/journal'), { recursive: true })
}

/**
 * The folder of a bootable Debian, built when there is none yet (about a minute) and kept for later runs.
 * `more` are Debian packages besides the usual ones. Its name is a digest of what it is built from. It appears whole or not at all, also with two builders.
 */
export async function baseImage(lab: string, more: readonly string[] = []): Promise<string> {
  const { suite, mirror, proxy } = await aptMirror()
  const packages = [...usual, ...more]
  const source = JSON.stringify({ recipe, packages, suite, architecture: process.arch })
  const name = `base-${createHash('sha256').update(source).digest('hex').slice(0, 16)}`
  const base = join(lab, name)
  removeAbandoned(lab)
  if (existsSync(base)) return base
  const building = `${base}.building-${process.pid}`
  const proxied = proxy === undefined ? {} : { http_proxy: proxy }
  try {
    await succeed(
      'debootstrap',
      ['--variant=minbase', `--include=${packages.join(',')}`, suite, building, mirror],
      { env: { ...process.env, ...proxied, DEBIAN_FRONTEND: 'noninteractive' } },
    )
    await finish(building)
    writeFileSync(join(building, 'etc/lab-base'), `${source}\n`)
    renameSync(building, base)
  } catch (cause) {
    if (!existsSync(base)) throw new Error(`the base for the lab's hosts could not be built`, { cause })
  } finally {
    rmSync(building, { recursive: true, force: true })
  }
  return base
}

/** Removes what builders left that were killed. */
function removeAbandoned(lab: string): void {
  for (const name of readdirSync(lab)) {
    const pid = /\.building-(\d+)$/.exec(name)?.[1]
    if (pid !== undefined && !runs(Number(pid))) rmSync(join(lab, name), { recursive: true, force: true })
  }
}
