import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { aptMirror } from './aptMirror.ts'
import { succeed } from './execute.ts'
import { enableArm64 } from './foreignProcessor.ts'
import { mountsBelow } from './leftovers.ts'
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
]

/** Debian packages of database servers; hosts have one of them. */
export type DatabasePackage = 'mariadb-server' | 'mysql-server'

const unitsOf: Readonly<Record<DatabasePackage, readonly string[]>> = {
  // The second socket of MariaDB 11 would start it alone.
  'mariadb-server': ['mariadb.service', 'mariadb.socket', 'mariadb-extra.socket'],
  'mysql-server': ['mysql.service'],
}

/** Raised when `finish` below changes, so that old bases are built anew. */
const recipe = 5

/** What every host of the lab shares. No Node.js: a database host has none either. */
async function finish(base: string, database: DatabasePackage): Promise<void> {
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
  const units = unitsOf[database].filter((unit) => existsSync(join(base, 'lib/systemd/system', unit)))
  if (units.length > 0) await succeed('systemctl', [`--root=${base}`, 'disable', ...units])
  mkdirSync(join(base, 'etc/systemd/system-preset'), { recursive: true })
  writeFileSync(
    join(base, 'etc/systemd/system-preset/10-lab.preset'),
    unitsOf[database].map((unit) => `disable ${unit}\n`).join(''),
  )
  // MySQL keeps the UUID of a server there, and replication wants each to have its own.
  rmSync(join(base, 'var/lib/mysql/auto.cnf'), { force: true })
  mkdirSync(join(base, 'var/log/journal'), { recursive: true })
}

/** QEMU emulates neither the mounts that credentials of services need, nor the sockets of systemd-networkd. */
async function finishEmulated(base: string): Promise<void> {
  const folder = join(base, 'etc/systemd/system/service.d')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, '10-lab.conf'), '[Service]\nLoadCredential=\n')
  const network = [
    'systemd-networkd.service',
    'systemd-networkd.socket',
    'systemd-networkd-wait-online.service',
  ]
  await succeed('systemctl', [`--root=${base}`, 'mask', ...network])
}

/** Hosts that are made from the same base. */
export type BaseWish = {
  /** Debian packages besides the usual ones. */
  readonly packages?: readonly string[] | undefined
  /** Release of Debian, such as `trixie`; that of this machine unless told. */
  readonly suite?: string | undefined
  /** The server of databases; MariaDB unless told. */
  readonly database?: DatabasePackage | undefined
  /** The processor is an arm64 that QEMU emulates; the host has neither a database nor further packages. */
  readonly arm64?: boolean | undefined
}

/**
 * The folder of a bootable Debian, built when there is none yet (about a minute) and kept for later runs. Its name is
 * a digest of what it is built from. It appears whole or not at all, also with two builders.
 */
export async function baseImage(lab: string, wish: BaseWish = {}): Promise<string> {
  const { mirror, proxy, ...usualSuite } = await aptMirror()
  const { suite = usualSuite.suite, packages: more = [], database = 'mariadb-server', arm64 = false } = wish
  const architecture = arm64 ? 'arm64' : process.arch
  // Emulated, a database would take minutes to install, and no test of a foreign processor has one.
  const packages = arm64 ? usual : [...usual, database, ...more]
  const source = JSON.stringify({ recipe, packages, suite, architecture })
  const name = `base-${createHash('sha256').update(source).digest('hex').slice(0, 16)}`
  const base = join(lab, name)
  await removeAbandoned(lab)
  if (arm64) await enableArm64()
  if (existsSync(base)) return base
  const building = `${base}.building-${process.pid}`
  const proxied = proxy === undefined ? {} : { http_proxy: proxy }
  try {
    await succeed(
      'debootstrap',
      [
        ...(arm64 ? ['--arch=arm64'] : []),
        '--variant=minbase',
        `--include=${packages.join(',')}`,
        ...[suite, building, mirror, ...scriptOf(suite)],
      ],
      // A busy machine needs several times the usual minutes.
      { env: { ...process.env, ...proxied, DEBIAN_FRONTEND: 'noninteractive' }, timeout: 3_600_000 },
    )
    await finish(building, database)
    if (arm64) await finishEmulated(building)
    writeFileSync(join(building, 'etc/lab-base'), `${source}\n`)
    renameSync(building, base)
  } catch (cause) {
    if (!existsSync(base)) throw new Error(`the base for the lab's hosts could not be built`, { cause })
  } finally {
    await removeBuilding(building)
  }
  return base
}

/** The script of debootstrap for a release that is newer than debootstrap: that of unstable, which each of them once was. */
const scriptOf = (suite: string): readonly string[] =>
  existsSync(`/usr/share/debootstrap/scripts/${suite}`) ? [] : ['/usr/share/debootstrap/scripts/sid']

/** Removes what builders left that were killed. */
async function removeAbandoned(lab: string): Promise<void> {
  for (const name of readdirSync(lab)) {
    const pid = /\.building-(\d+)$/.exec(name)?.[1]
    if (pid !== undefined && !runs(Number(pid))) await removeBuilding(join(lab, name))
  }
}

/** Removes a base that is not finished; debootstrap that was killed leaves its mounts. */
async function removeBuilding(building: string): Promise<void> {
  for (const point of mountsBelow(building)) await succeed('umount', [point])
  rmSync(building, { recursive: true, force: true })
}
