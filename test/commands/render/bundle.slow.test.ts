import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { sha256 } from '../../../src/base/sha256.ts'
import { createIdentity, unseal } from '../../../src/deployment/render/seal.ts'
import { Secret } from '../../../src/secrets/secret.ts'
import { renderFolder } from './renderFolder.ts'

const password = `Zq7'"\\$#%:@ éXw9`
const text = ({ more = '', host = '' } = {}): string => `cluster: alpha
defaults: { rest-api-admin-user: admin, rest-api-admin-pass: !env ADMIN_PASS${more} }
services:
  alpha: { topology: clustered, master: db1, members: [db1, db2], witnesses: [w1] }
hosts:
  db1: { address: 10.0.0.11${host} }
  db2: { address: 10.0.0.12 }
  w1: { address: 10.0.0.13 }
`

describe('muster render bundle', () => {
  const { path, render } = renderFolder({ engine: 'bundle', text: text(), password: password })
  const unpack = (archive: string, to: string): string => {
    execFileSync('sh', [
      '-c',
      'rm -rf "$2"; mkdir "$2"; tar -xzf "$1" -C "$2"',
      'sh',
      path(archive),
      path(to),
    ])
    return path(to)
  }
  const secretsOf = (host: string, out: string) =>
    unseal(
      readFileSync(join(unpack(`${out}/${host}.tar.gz`, 'x'), host, 'secrets.age')),
      new Secret(readFileSync(path(out, 'keys', `${host}.key`), 'utf8')),
    )

  it('writes an archive and a key for each host, and the checksums beside the keys', async () => {
    const { code, stdout, stderr } = await render('--out', 'out')
    expect({ code, stderr }, stderr).toMatchObject({ code: 0 })
    const sums = readFileSync(path('out/keys/SHA256SUMS'), 'utf8')
    const written = ['db1', 'db2', 'w1'].map((host) => {
      const digest = sha256(readFileSync(join(unpack(`out/${host}.tar.gz`, 'x'), host, 'SHA256SUMS')))
      expect(sums).toContain(`${sha256(readFileSync(path(`out/${host}.tar.gz`)))}  ${host}.tar.gz\n`)
      expect(sums).toContain(`${digest}  ${host}/SHA256SUMS\n`)
      return `wrote out/${host}.tar.gz\n  apply --sums ${digest}\n`
    })
    expect(stdout).toBe(
      `${written.join('')}The keys and the checksums of the archives and of the sums in them are in out/keys: hand them over separately.\n`,
    )
    expect(statSync(path('out/keys/db1.key')).mode & 0o777).toBe(0o600)
    expect(sums.trim().split('\n')).toHaveLength(6)
  })

  it('seals the password, which is nowhere else in clear', async () => {
    const secrets = await secretsOf('db1', 'out')
    expect(secrets).toMatchObject({ users: [{ user: 'admin', access: 'full', password }] })
    const found = execFileSync('sh', ['-c', 'grep -rlF -e "$2" "$1" || :', 'sh', path('x'), password])
    expect(found.toString()).toBe('')
  })

  it('gives each host plain files at their paths, which sha256sum finds unchanged', () => {
    const place = join(unpack('out/db1.tar.gz', 'x'), 'db1')
    execFileSync('sha256sum', ['--quiet', '-c', 'SHA256SUMS'], { cwd: place })
    const settings = JSON.parse(readFileSync(join(place, 'root/opt/muster/share/manager.json'), 'utf8'))
    expect(settings).toMatchObject({ cluster: 'alpha', host: 'db1', component: 'manager' })
    expect(statSync(join(place, 'apply')).mode & 0o777).toBe(0o755)
    expect(statSync(join(place, 'secrets.age')).mode & 0o777).toBe(0o600)
    expect(readFileSync(join(place, 'README.txt'), 'utf8')).toContain(
      'Host db1 (10.0.0.11) of the cluster alpha',
    )
  })

  it('has folders that root alone can change, whatever the umask of who unpacks them', () => {
    execFileSync('sh', [
      '-c',
      'umask 000; mkdir "$2"; tar -xpzf "$1" -C "$2"',
      'sh',
      path('out/db1.tar.gz'),
      path('y'),
    ])
    const open = execFileSync('find', [path('y/db1'), '-perm', '/022']).toString()
    expect(open).toBe('')
  })

  it('overwrites nothing without --force, and then keeps keys, certificates and hashes', async () => {
    const refused = await render('--out', 'out', '--host', 'db1')
    expect(refused).toMatchObject({ code: 3, stderr: expect.stringContaining('already exists') })
    const [key, before] = [readFileSync(path('out/keys/db1.key')), await secretsOf('db1', 'out')]
    const sums = readFileSync(path('out/keys/SHA256SUMS'), 'utf8').split('\n')
    expect(await render('--out', 'out', '--host', 'db1', '--force')).toMatchObject({ code: 0 })
    expect(readFileSync(path('out/keys/db1.key'))).toEqual(key)
    const after = await secretsOf('db1', 'out')
    expect(after).toMatchObject({ files: (before as { files: unknown }).files })
    expect(after).toMatchObject({ users: (before as { users: unknown }).users })
    expect(readFileSync(path('out/keys/SHA256SUMS'), 'utf8').split('\n').slice(2)).toEqual(sums.slice(2))
  })

  it('seals for no key that others can read, that is a link, or that somebody else owns', async () => {
    const key = path('out/keys/db1.key')
    const refuses = async (why: string) => {
      const before = sha256(readFileSync(path('out/db1.tar.gz')))
      const refused = await render('--out', 'out', '--host', 'db1', '--force')
      expect(refused).toMatchObject({ code: 3, stderr: expect.stringContaining(why) })
      expect(sha256(readFileSync(path('out/db1.tar.gz')))).toBe(before)
    }
    chmodSync(key, 0o644)
    await refuses('other users can read or change it')
    chmodSync(key, 0o600)
    renameSync(key, path('kept.key'))
    symlinkSync(path('kept.key'), key)
    await refuses('it is a symbolic link')
    rmSync(key)
    renameSync(path('kept.key'), key)
    if (process.getuid?.() !== 0) return
    // The folder too: root would otherwise take a file of its folder's owner.
    for (const one of [key, path('out/keys')]) chownSync(one, 65534, 65534)
    await refuses('it belongs to another user')
    for (const one of [key, path('out/keys')]) chownSync(one, 0, 0)
  })

  it('seals for the recipients of a file, and names its first line that is none', async () => {
    const { identity, recipient } = await createIdentity()
    writeFileSync(
      path('recipients.yaml'),
      `# of the image\n"db1": ${recipient}  # one\n\ndb2: age1nonsense\n`,
    )
    const bad = await render('--out', 'sealed', '--recipients', 'recipients.yaml', '--host', 'db1')
    expect(bad).toMatchObject({ code: 3, stderr: expect.stringContaining('line 4 of recipients.yaml') })
    writeFileSync(path('recipients.yaml'), `db1: ${recipient}\n`)
    const missing = await render('--out', 'sealed', '--recipients', 'recipients.yaml')
    expect(missing.stderr).toContain('recipients.yaml has no recipient for db2.')
    const done = await render('--out', 'sealed', '--recipients', 'recipients.yaml', '--host', 'db1')
    expect(done, done.stderr).toMatchObject({ code: 0 })
    expect(done.stdout).toContain(
      '\nThe checksums of the archives and of the sums in them are in sealed/keys: hand them over',
    )
    writeFileSync(path('recipients.yaml'), `db1: ${recipient}\n'db1': ${recipient}\n`)
    const twice = await render('--out', 'twice', '--recipients', 'recipients.yaml', '--host', 'db1')
    expect(twice).toMatchObject({ code: 3 })
    expect(twice.stderr).toContain('line 2 of recipients.yaml has a second recipient for db1.')
    const sealed = readFileSync(join(unpack('sealed/db1.tar.gz', 'x'), 'db1/secrets.age'))
    expect(await unseal(sealed, identity)).toMatchObject({ users: [{ password }] })
  })

  it('refuses what is there, and unfit keys, before it makes an authority or a password', async () => {
    const generated = text()
      .replace('cluster: alpha', 'cluster: other')
      .replace(/, rest-api-admin-pass[^}]*/, '')
    writeFileSync(path('other.yaml'), generated)
    mkdirSync(path('taken/keys'), { recursive: true })
    writeFileSync(path('taken/db2.tar.gz'), '')
    writeFileSync(path('taken/keys/db1.key'), 'no key', { mode: 0o600 })
    for (const [force, said] of [
      [[], 'taken/db2.tar.gz already exists'],
      [['--force'], 'has no age identity'],
    ] as const) {
      const refused = await render('other.yaml', '--out', 'taken', ...force)
      expect(refused).toMatchObject({ code: 3, stdout: '', stderr: expect.stringContaining(said) })
    }
    expect(existsSync(path('.muster/other'))).toBe(false)
  })

  it('names what it leaves of hosts that are no longer in the file', async () => {
    await render('--out', 'left')
    writeFileSync(
      path('fewer.yaml'),
      text()
        .replace(', witnesses: [w1]', '')
        .replace(/ {2}w1.*\n/, ''),
    )
    const notes = async (...argv: string[]) => {
      const { code, stderr } = await render('fewer.yaml', '--out', 'left', '--force', ...argv)
      expect(code).toBe(0)
      return stderr.split('\n').filter((line) => line.startsWith('note: '))
    }
    expect(await notes('--host', 'db1')).toEqual([])
    expect(await notes()).toEqual([
      'note: no host of the file has left/w1.tar.gz and left/keys/w1.key. Remove what is there for hosts that are gone: it holds their secrets.',
    ])
    expect(readFileSync(path('left/keys/SHA256SUMS'), 'utf8')).toMatch(
      / {2}w1\.tar\.gz\n.{64} {2}w1\/SHA256SUMS\n/,
    )
    for (const one of ['left/w1.tar.gz', 'left/keys/w1.key']) rmSync(path(one))
    expect(await notes()).toEqual([])
    expect(readFileSync(path('left/keys/SHA256SUMS'), 'utf8')).not.toContain('w1')
  })

  it('refuses hosts whose state only the host can tell', async () => {
    const cases = [
      [{ more: ', runtime: host' }, 'the Node.js of a host is unknown'],
      [{ host: ', connection: local' }, 'is this machine'],
      [
        {
          more: ', java-tls-keystore-path: host:/etc/k.p12, java-truststore-path: host:/etc/t.p12, java-keystore-password: a, java-truststore-password: a',
        },
        'cannot be read from here',
      ],
    ] as const
    for (const [more, said] of cases) {
      writeFileSync(path('muster.yaml'), text(more))
      const refused = await render('--out', 'none', '--host', 'db1')
      expect(refused.stderr).toContain(said)
      expect(refused.code).toBe(3)
    }
    writeFileSync(path('muster.yaml'), text())
  })

  it('records the cluster for tapi and keeps the state that plan decides by', () => {
    expect(readFileSync(path('.muster/alpha/authority.crt'), 'utf8')).toContain('BEGIN CERTIFICATE')
    const found = execFileSync('grep', ['-rl', '10.0.0.12', path('config')])
    expect(found.toString()).toContain('alpha')
  })
})
