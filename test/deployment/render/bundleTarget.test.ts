import { execFileSync } from 'node:child_process'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { preview } from '../../../src/deployment/hostPlan.ts'
import { installPlan } from '../../../src/deployment/plans/installPlan.ts'
import { installationProblems } from '../../../src/deployment/preflight/checks.ts'
import { assumedFacts, renderedConfig } from '../../../src/deployment/render/assumedFacts.ts'
import { type BundleDescription, parseDescription } from '../../../src/deployment/render/bundleDescription.ts'
import { type BundleFile, bundleFiles } from '../../../src/deployment/render/bundleFiles.ts'
import { bundleTarget, checkedHost, type OpenedBundle } from '../../../src/deployment/render/bundleTarget.ts'
import { renderHost } from '../../../src/deployment/render/renderedHost.ts'
import { createIdentity, unseal } from '../../../src/deployment/render/seal.ts'
import { hostConfig, hostFacts } from '../../support/deploymentValues.ts'
import { finishedFacts, targetOf } from '../steps/target.ts'

const host = hostConfig()
const target = targetOf({ host: renderedConfig(host), facts: assumedFacts(host, 'x64') })
const { identity, recipient } = await createIdentity()
const files = await bundleFiles(renderHost(target), {
  muster: '1.2.3',
  now: new Date('2026-11-23T12:00:00Z'),
  machineId: undefined,
  recipient,
  program: Buffer.from('apply'),
  runtime: gzipSync('node'),
})
const contentOf = (path: string): Buffer => {
  const file = files.find((one) => one.path === path)
  return file !== undefined && 'content' in file ? file.content : Buffer.alloc(0)
}

async function opened(): Promise<OpenedBundle> {
  const description = parseDescription(contentOf('bundle.json').toString()) as BundleDescription
  const secrets = await unseal(contentOf('secrets.age'), identity)
  if (typeof secrets === 'string') throw new Error(secrets)
  const plain = new Map(
    description.files.flatMap(({ path, sha256 }) =>
      sha256 === undefined ? [] : [[path, contentOf(`root${path}`)] as const],
    ),
  )
  const program = contentOf(`root/opt/muster/releases/${target.release.id}/muster-api.cjs`)
  return { description, plain, program, secrets }
}

describe('a bundle', () => {
  it('gives the host the target that muster install would give it', async () => {
    const facts = hostFacts()
    const wanted = targetOf({ host: renderedConfig(host), facts })
    const made = bundleTarget(await opened(), facts)
    const { host: _, ...rest } = wanted
    // Without the functions of a layout; secrets are compared by their digests below.
    const values = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
    expect(values({ ...made, host: undefined })).toEqual(values({ ...rest, host: undefined }))
    expect(made.tls.map(({ sha256 }) => sha256)).toEqual(wanted.tls.map(({ sha256 }) => sha256))
    expect(made.users.map(({ password }) => password?.reveal())).toEqual(['the password'])
  })

  it('has nothing to do on a host that muster installed', async () => {
    const facts = finishedFacts(targetOf({ host: renderedConfig(host), facts: hostFacts() }))
    const made = bundleTarget(await opened(), facts)
    const { steps } = { steps: preview(installPlan({ target: made, packed: () => undefined }), facts) }
    expect(steps.map(({ change }) => change)).toEqual([])
  })

  it('is refused by the same checks of a host as an installation', async () => {
    const facts = hostFacts({ systemd: false })
    const bundle = await opened()
    const checked = checkedHost(bundle.description, bundleTarget(bundle, facts))
    expect(checked.apis).toEqual(renderedConfig(host).apis)
    const problems = installationProblems({ cluster: 'alpha', host: checked, facts })
    expect(problems.map(({ code }) => code)).toEqual(['no-systemd'])
  })

  it('is refused where its user exists with another group', async () => {
    const bundle = await opened()
    expect(() => bundleTarget(bundle, hostFacts({ userGroup: 'dba' }))).toThrow(
      'the user muster-alpha of this host has the group dba',
    )
  })

  it('holds no secret in its plain files, nor a digest of one', () => {
    const rendered = renderHost(target)
    const secret = [
      ...rendered.secretFiles.map(({ sha256 }) => sha256),
      ...['the password', 'the private key', 'keystore password', 'scrypt'],
    ]
    const plain = (file: BundleFile): string => ('content' in file ? file.content.toString('latin1') : '')
    for (const file of files.filter(({ path }) => path !== 'secrets.age')) {
      for (const word of secret) expect(plain(file), file.path).not.toContain(word)
    }
    expect(rendered.secretFiles.map(({ path }) => path.slice('/opt/muster/share/'.length))).toEqual([
      'tls/keystore.p12',
      'tls/key.pem',
      'secrets.json',
    ])
  })

  it('lists the digest of every file but itself as sha256sum reads it', () => {
    const sums = contentOf('SHA256SUMS').toString().trim().split('\n')
    expect(sums).toHaveLength(files.length - 1)
    const line = sums.find((one) => one.endsWith('  apply')) ?? ''
    const found = execFileSync('sha256sum', { input: contentOf('apply') }).toString()
    expect(line.split(' ')[0]).toBe(found.split(' ')[0])
  })
})
