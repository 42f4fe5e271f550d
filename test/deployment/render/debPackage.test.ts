import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { debName, debPackage } from '../../../src/deployment/render/debPackage.ts'
import { installed } from '../../lab/support/requirements.ts'
import { temporaryFolder } from '../../support/temporaryFolder.ts'
import { bundle, now, writtenPackage } from './debBundle.ts'

describe('the Debian package of a bundle', () => {
  it('has a name that Debian allows for any cluster and host', () => {
    expect(debName({ cluster: 'Alpha_1', host: 'db1.Example.com' })).toBe(
      'muster-bundle-alpha-1-db1.example.com',
    )
  })

  it.skipIf(!installed('dpkg-deb'))('is read by dpkg-deb, with all files of root (needs dpkg-deb)', () => {
    const deb = writtenPackage()
    const field = (name: string): string => execFileSync('dpkg-deb', ['-f', deb, name]).toString().trim()
    expect(field('Version')).toBe('0.2.0~rc.1+20261123t120000z')
    expect(field('Architecture')).toBe('amd64')
    const listed = execFileSync('dpkg-deb', ['-c', deb]).toString()
    expect(listed).toMatch(
      /^-rw------- root\/root +6 .* \.\/usr\/lib\/muster-bundle-alpha-db1\/secrets\.age$/m,
    )
    expect(listed).toMatch(
      /^drwxr-xr-x root\/root +0 .* \.\/usr\/lib\/muster-bundle-alpha-db1\/root\/opt\/$/m,
    )
    const place = join(temporaryFolder(), 'x')
    execFileSync('dpkg-deb', ['-R', deb, place])
    execFileSync('md5sum', ['--quiet', '-c', 'DEBIAN/md5sums'], { cwd: place })
    expect(readFileSync(join(place, 'DEBIAN/postinst'), 'utf8')).toContain(
      `/usr/lib/muster-bundle-alpha-db1/apply --sums ${bundle.sums} --identity /etc/muster/alpha.key`,
    )
    expect(readFileSync(join(place, 'DEBIAN/prerm'), 'utf8')).toContain(
      `apply --sums ${bundle.sums} --uninstall`,
    )
  })

  it('of a later bundle is a newer version', () => {
    const version = (deb: Buffer): string => {
      const path = join(temporaryFolder(), 'one.deb')
      writeFileSync(path, deb)
      return execFileSync('dpkg-deb', ['-f', path, 'Version']).toString().trim()
    }
    const [first, later] = [
      version(debPackage(bundle, now)),
      version(debPackage(bundle, new Date('2026-11-23T12:00:01Z'))),
    ]
    expect(spawnSync('dpkg', ['--compare-versions', later, 'gt', first]).status).toBe(0)
    const released = version(debPackage({ ...bundle, muster: '0.2.0' }, now))
    expect(spawnSync('dpkg', ['--compare-versions', released, 'gt', later]).status).toBe(0)
  })
})
