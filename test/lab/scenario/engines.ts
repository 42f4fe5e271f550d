import { copyFileSync, cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { execute, type Outcome } from '../support/execute.ts'
import type { LabHost } from '../support/labTypes.ts'
import { must } from './onHost.ts'
import type { Operator } from './operator.ts'

/** A way to bring an installation that muster rendered to a host. */
export type Engine = {
  readonly name: string
  /** Renders the host from the operator's file. */
  readonly render: (operator: Operator, host: LabHost) => Promise<Outcome>
  /** Brings to the host what was rendered last, and has it applied. */
  readonly apply: (operator: Operator, host: LabHost) => Promise<Outcome>
  readonly uninstall: (operator: Operator, host: LabHost) => Promise<Outcome>
  /** Paths on the host that belong to the engine itself. */
  readonly own: RegExp
}

/** An engine that applies a bundle. */
type BundleEngine = Engine & {
  /** Runs the same again on the host. */
  readonly again: (operator: Operator, host: LabHost) => Promise<Outcome>
  /** True if `apply` boots the host, which restarts every component. */
  readonly boots?: true
}

const file = 'alpha.yaml'
const keyPlace = '/etc/muster/alpha.key'

const render = (engine: string) => (operator: Operator, host: LabHost) =>
  operator.muster(['render', engine, file, '--host', host.name, '--force', '--out', engine])

/** Folder of the operator with what was rendered for an engine. */
export const renderedFolder = (operator: Operator, engine: string): string => join(operator.directory, engine)

/** Puts the key of a host where its bundle expects it. */
export function handOverKey(operator: Operator, engine: string, host: LabHost): void {
  mkdirSync(join(host.root(), 'etc/muster'), { recursive: true, mode: 0o700 })
  const key = join(renderedFolder(operator, engine), 'keys', `${host.name}.key`)
  copyFileSync(key, join(host.root(), keyPlace))
}

/** Unpacks an archive on a host as root would; returns the folder of the bundle there. */
export async function unpackBundle(
  operator: Operator,
  host: LabHost,
  of: { readonly engine: string; readonly archive?: string; readonly folder?: string },
): Promise<string> {
  const { engine, archive = `${host.name}.tar.gz`, folder = '/root/bundle' } = of
  copyFileSync(join(renderedFolder(operator, engine), archive), join(host.root(), '/root/bundle.tar.gz'))
  await must(
    host,
    `rm -rf ${folder}; mkdir ${folder}; tar -xzf /root/bundle.tar.gz -C ${folder}; rm /root/bundle.tar.gz`,
  )
  return `${folder}/${archive.replace('.tar.gz', '')}`
}

const run = (host: LabHost, script: string): Promise<Outcome> => host.run(script, { timeout: 600_000 })

const bundle: BundleEngine = {
  name: 'bundle',
  own: /^\/(?:root\/(?:bundle|authority)|etc\/muster[ /])/,
  render: render('bundle'),
  apply: (operator, host) => {
    const { name } = host
    const [from, to] = [renderedFolder(operator, 'bundle'), join(host.root(), 'root/bundle')]
    rmSync(to, { recursive: true, force: true })
    mkdirSync(to, { mode: 0o700 })
    copyFileSync(join(from, `${name}.tar.gz`), join(to, `${name}.tar.gz`))
    for (const file of ['SHA256SUMS', `${name}.key`]) copyFileSync(join(from, 'keys', file), join(to, file))
    // The commands of docs/guide/engines.md; a check that found changes exits with 2.
    return run(
      host,
      `set -e; cd /root/bundle
sha256sum --check --ignore-missing SHA256SUMS
tar -xzf ${name}.tar.gz
sums=$(sed -n 's|  ${name}/SHA256SUMS$||p' SHA256SUMS)
./${name}/apply --check --sums "$sums" --identity ${name}.key || [ $? = 2 ]
./${name}/apply --sums "$sums" --identity ${name}.key`,
    )
  },
  again: (_, host) => run(host, `cd /root/bundle && ./${host.name}/apply --identity ${host.name}.key`),
  uninstall: (_, host) => run(host, `/root/bundle/${host.name}/apply --uninstall`),
}

const seed = '/var/lib/cloud/seed/nocloud'

/** The lab has networks, keys and users of its own; modules that look after them fail in a container. */
const labCloud = `network: {config: disabled}
cloud_init_modules: []
cloud_config_modules: [runcmd]
cloud_final_modules: [scripts-user]
`

const runcmdAgain = `cloud-init single --name runcmd --frequency always && cloud-init single --name scripts-user --frequency always`

const cloudInit: BundleEngine = {
  name: 'cloud-init',
  boots: true,
  own: /^\/(?:etc\/muster[ /]|root\/(?:bundle|authority)|var\/lib\/cloud|etc\/cloud|usr\/lib\/python3|etc\/(?:apt|ssh|netplan|hosts|locale|default|sudoers)|var\/lib\/(?:dpkg|apt|systemd|dbus)|root\/\.)/,
  render: render('cloud-init'),
  apply: async (operator, host) => {
    handOverKey(operator, 'cloud-init', host)
    const folder = join(host.root(), seed)
    rmSync(folder, { recursive: true, force: true })
    cpSync(join(renderedFolder(operator, 'cloud-init'), host.name), folder, { recursive: true })
    writeFileSync(join(host.root(), 'etc/cloud/cloud.cfg.d/99_lab.cfg'), labCloud)
    await host.kill()
    await host.boot()
    const done = await run(host, 'cloud-init status --wait --long')
    return done.code === 0
      ? done
      : { ...done, stderr: (await run(host, 'cat /var/log/cloud-init-output.log')).stdout }
  },
  again: (_, host) => run(host, runcmdAgain),
  uninstall: async (operator, host) => {
    const folder = await unpackSeed(operator, host)
    return run(host, `${folder}/apply --uninstall; code=$?; rm -rf /root/bundle; exit $code`)
  },
}

/** Its archive is the way to remove it. */
async function unpackSeed(_: Operator, host: LabHost): Promise<string> {
  await must(
    host,
    `rm -rf /root/bundle; mkdir /root/bundle; tar -xzf ${seed}/${host.name}.tar.gz -C /root/bundle`,
  )
  return `/root/bundle/${host.name}`
}

const packageOf = (host: LabHost): string => `muster-bundle-alpha-${host.name}`

const deb: BundleEngine = {
  name: 'deb',
  own: /^\/(?:root\/(?:bundle|authority)|etc\/muster[ /]|var\/lib\/dpkg|usr\/lib\/muster-bundle|usr\/share\/(?:doc|lintian))/,
  render: render('deb'),
  apply: (operator, host) => {
    handOverKey(operator, 'deb', host)
    const name = `${packageOf(host)}.deb`
    copyFileSync(join(renderedFolder(operator, 'deb'), name), join(host.root(), '/root/bundle.deb'))
    return run(host, 'dpkg -i /root/bundle.deb')
  },
  again: (_, host) => run(host, 'dpkg -i /root/bundle.deb'),
  uninstall: (_, host) => run(host, `dpkg --purge ${packageOf(host)}`),
}

const ansible: Engine = {
  name: 'ansible',
  own: /^\/root\/(?:\.ansible|authority)/,
  render: (operator, host) => {
    operator.write(vaultPassword, 'the password of the vault\n')
    const out = ['--out', join('ansible', host.name), '--vault-password-file', vaultPassword]
    return operator.muster(['render', 'ansible', file, '--host', host.name, '--force', ...out])
  },
  apply: (operator, host) => play(operator, host, 'site.yaml'),
  uninstall: (operator, host) => play(operator, host, 'uninstall.yaml'),
}

const vaultPassword = 'vault.pass'

/** Runs a playbook of the project of one host, without the operator's own settings and passwords. */
export function play(
  operator: Operator,
  host: LabHost,
  playbook: string,
  options: readonly string[] = [],
): Promise<Outcome> {
  const home = join(operator.directory, 'ansible-home')
  mkdirSync(home, { recursive: true, mode: 0o700 })
  const args = ['-i', 'inventory.yaml', '--vault-password-file', join(operator.directory, vaultPassword)]
  return execute('ansible-playbook', [...args, ...options, playbook], {
    cwd: join(renderedFolder(operator, 'ansible'), host.name),
    env: { PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8' },
    timeout: 1_200_000,
  })
}

/** The engines of `muster render` by name. */
export const renderEngines = { bundle, ansible, 'cloud-init': cloudInit, deb } as const

/** Engines that apply a bundle, each with a host of its own. Ansible has tests of its own. */
export const bundleEngines: readonly { readonly engine: BundleEngine; readonly host: string }[] = [
  { engine: bundle, host: 'db1' },
  { engine: cloudInit, host: 'db2' },
  { engine: deb, host: 'db3' },
]

/** Fails with all that an engine has printed. */
export function succeeded(outcome: Outcome): void {
  expect(outcome, `${outcome.stdout}\n${outcome.stderr}`).toMatchObject({ code: 0 })
}

/**
 * Everything that an installation has on a host: paths with type, mode, owner and content, and whether its services run
 * and start at boot. Left out: the record of changes, times, what Node.js compiles by itself, and the contents of logs
 * and states, which the components write.
 */
export const endState = (host: LabHost): Promise<string> =>
  must(
    host,
    `
    find /opt/muster /var/lib/muster-alpha /var/log/muster-alpha /etc/systemd/system -path '*/.compiled/*' -prune -o \\( -path '/opt/*' -o -path '*muster*' \\) ! -name deployment.jsonl -printf '%p %y %m %u:%g %l\\n' | sort
    find /opt/muster /etc/systemd/system -path '*/.compiled/*' -prune -o -type f \\( -path '/opt/*' -o -path '*muster*' \\) ! -name deployment.jsonl ! -name .activated -exec sha256sum {} + | sort -k 2
    sha256sum /var/lib/muster-alpha/users.json
    cut -d ' ' -f 1 /opt/muster/releases/*/.activated
    getent passwd muster-alpha | cut -d : -f 1,5-; id -gn muster-alpha
    for c in manager connector replicator; do systemctl is-active muster-alpha-$c; systemctl is-enabled muster-alpha-$c; done`,
  )
