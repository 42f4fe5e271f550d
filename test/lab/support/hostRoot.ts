import { chmodSync, chownSync, linkSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { succeed } from './execute.ts'

/** What a host's file system is made from. */
export type HostRootPlan = {
  readonly base: string
  /** Folder of this host alone: the mount and its layers. */
  readonly directory: string
  readonly name: string
  readonly address: string
  /** Lines of /etc/hosts for the whole lab. */
  readonly hostsFile: string
  /** OpenSSH public key that may log in. */
  readonly publicKey: string
  /** Whether to make the user `ops`, who is no root but may sudo without a password. */
  readonly ops: boolean
  /** A Node.js binary that the host has, as root installs one. */
  readonly node?: string | undefined
  /** Folder that is a disk of its own. */
  readonly disk?: string | undefined
}

function authorise(root: string, home: string, publicKey: string): void {
  const folder = join(root, home, '.ssh')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  writeFileSync(join(folder, 'authorized_keys'), publicKey, { mode: 0o600 })
}

async function addOps(root: string, publicKey: string): Promise<void> {
  await succeed('chroot', [root, 'useradd', '--create-home', '--shell', '/bin/bash', 'ops'])
  authorise(root, 'home/ops', publicKey)
  await succeed('chroot', [root, 'chown', '-R', 'ops:ops', '/home/ops/.ssh'])
  const rule = join(root, 'etc/sudoers.d/ops')
  writeFileSync(rule, 'ops ALL=(ALL) NOPASSWD: ALL\n')
  chmodSync(rule, 0o440)
}

/** Puts a folder with all that is in it on a disk of its own: a file of eight gigabytes with holes. */
async function moveToDisk(folder: string, image: string): Promise<void> {
  const { uid, gid, mode } = statSync(folder)
  await succeed('mkfs.ext4', ['-q', '-m', '0', '-d', folder, image, '8G'])
  await succeed('mount', ['-o', 'loop', image, folder])
  chownSync(folder, uid, gid)
  chmodSync(folder, mode)
  // It would be a database by its place.
  rmSync(join(folder, 'lost+found'), { recursive: true })
}

/** Mounts an overlay over the base and writes what makes it this host; returns where it is mounted. */
export async function createHostRoot(plan: HostRootPlan): Promise<string> {
  const [root, upper, work] = ['root', 'upper', 'work'].map((name) => join(plan.directory, name))
  if (root === undefined || upper === undefined || work === undefined) throw new Error('three folders')
  for (const folder of [root, upper, work]) mkdirSync(folder, { recursive: true })
  if (plan.node !== undefined) {
    const folder = join(upper, 'usr/local/bin')
    mkdirSync(folder, { recursive: true, mode: 0o755 })
    // A link: one copy in the memory of this machine for all hosts.
    linkSync(plan.node, join(folder, 'node'))
  }
  const layers = `lowerdir=${plan.base},upperdir=${upper},workdir=${work}`
  await succeed('mount', ['-t', 'overlay', 'overlay', '-o', layers, root])
  chmodSync(root, 0o755)
  if (plan.disk !== undefined) await moveToDisk(join(root, plan.disk), join(plan.directory, 'disk'))
  writeFileSync(join(root, 'etc/hostname'), `${plan.name}\n`)
  writeFileSync(join(root, 'etc/hosts'), plan.hostsFile)
  writeFileSync(
    join(root, 'etc/systemd/network/10-lab.network'),
    `[Match]\nName=host0\n[Network]\nAddress=${plan.address}/24\nLinkLocalAddressing=no\n`,
  )
  rmSync(join(root, 'etc/machine-id'), { force: true })
  authorise(root, 'root', plan.publicKey)
  if (plan.ops) await addOps(root, plan.publicKey)
  for (const type of ['ed25519', 'ecdsa']) {
    const key = join(root, `etc/ssh/ssh_host_${type}_key`)
    await succeed('ssh-keygen', ['-q', '-t', type, '-N', '', '-C', plan.name, '-f', key])
  }
  return root
}
