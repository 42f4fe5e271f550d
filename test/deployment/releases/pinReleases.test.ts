import { describe, expect, it } from 'vitest'
import { preview } from '../../../src/deployment/hostPlan.ts'
import { installPlan } from '../../../src/deployment/plans/installPlan.ts'
import { pinReleases, upgradeNotes } from '../../../src/deployment/releases/pinReleases.ts'
import { rolledBackMarker } from '../../../src/deployment/releases/releaseScripts.ts'
import { hostConfig, hostFacts, installationFacts } from '../../support/deploymentValues.ts'
import { finishedFacts, targetOf } from '../steps/target.ts'

const own = targetOf()
const installed = finishedFacts(own)
const [newer, older, same] = ['1.1.0-00000000000b', '1.0.0-00000000000a', '1.0.0-00000000000c']

const release = (id: string, turn: number) => ({
  id,
  turn,
  node: '../../runtimes/node-old/node',
  nodeThere: true,
})
const keeping = (host: string, ...ids: readonly string[]) => ({
  host: hostConfig({ name: host }),
  facts: hostFacts({
    host,
    installation: installationFacts({
      releases: ids.map((id, index) => release(id, ids.length - index)),
      ...(ids[0] === undefined ? {} : { currentRelease: ids[0] }),
    }),
  }),
})

describe('pinReleases', () => {
  it('finds a release by id or by version on every host, with its Node.js', () => {
    const hosts = [keeping('db1', newer, older), keeping('db2', newer, same)]
    const kept = (id: string) => ({ kind: 'kept', path: '../../runtimes/node-old/node', release: id })
    expect([...pinReleases(hosts, '1.0.0').runtimes]).toEqual([
      ['db1', kept(older)],
      ['db2', kept(same)],
    ])
    expect([...pinReleases(hosts, newer).runtimes.values()]).toEqual([kept(newer), kept(newer)])
    expect(pinReleases(hosts, undefined)).toEqual({ runtimes: new Map(), problems: [] })
  })

  it('lists the releases of all hosts if one host lacks the release', () => {
    const hosts = [keeping('db1', newer, older), keeping('db2', newer), keeping('db3', newer), keeping('db4')]
    const { problems } = pinReleases(hosts, '1.0.0')
    expect(problems.map(({ host }) => host)).toEqual(['db2', 'db3', 'db4'])
    expect(new Set(problems.map(({ message }) => message)).size).toBe(1)
    expect(problems[0]).toMatchObject({
      code: 'no-such-release',
      message: `the release 1.0.0 is not on this host
    db1 has ${newer}, ${older}
    db2 and db3 have ${newer}
    db4 has none`,
    })
  })

  it('rejects an ambiguous version and a release without its Node.js', () => {
    expect(pinReleases([keeping('db1', same, older)], '1.0.0').problems).toMatchObject([
      { code: 'ambiguous-release', fix: `Name one of them, such as --release ${same}.` },
    ])
    const { host, facts } = keeping('db1')
    const installation = { ...facts.installation, releases: [{ ...release(older, 1), nodeThere: false }] }
    expect(pinReleases([{ host, facts: { ...facts, installation } }], older).problems).toMatchObject([
      { code: 'release-incomplete' },
    ])
  })
})

describe('an installation of a release that is on the host', () => {
  const { installation } = installed
  const facts = {
    ...installed,
    installation: { ...installation, releases: [...installation.releases, release(older, 0)] },
  }
  const pinned = targetOf({
    facts,
    runtime: { kind: 'kept', path: '../../runtimes/node-old/node', release: older },
  })
  const summaries = (of: typeof facts) =>
    preview(installPlan({ target: { ...pinned, facts: of }, packed: () => undefined }), of).map(
      ({ change }) => change.summary,
    )

  it('sends nothing, switches to it, and does nothing if it already runs', () => {
    expect(pinned.release).toEqual({ id: older, version: '1.0.0' })
    expect(summaries(facts).slice(0, 1)).toEqual([`switch from ${own.release.id} to release ${older}`])
    const applied = new Map(pinned.components.map(({ component, digest }) => [component, digest]))
    const done = { ...facts, installation: { ...facts.installation, currentRelease: older, applied } }
    expect(summaries(done)).toEqual([])
  })
})

describe('upgradeNotes', () => {
  const target = (host: string, changes: Parameters<typeof installationFacts>[0]) => ({
    ...own,
    host: hostConfig({ name: host }),
    facts: hostFacts({ host, installation: installationFacts(changes) }),
  })
  const back = new Map([['manager', `${rolledBackMarker(older)}\n`]] as const)

  it('names hosts that were rolled back and the option that keeps their release', () => {
    const releases = [release(own.release.id, 1), release(older, 2)]
    expect(
      upgradeNotes([
        target('db1', { currentRelease: older, applied: back }),
        target('db2', { currentRelease: older, releases }),
      ]),
    ).toEqual([
      `upgrade again from release ${older} to ${own.release.id} after a rollback: db1 and db2; \`--release ${older}\` keeps the older one`,
    ])
  })

  it('returns nothing without a rollback or an upgrade', () => {
    const later = '2.0.0-00000000000d'
    const mark = new Map([['manager', `${rolledBackMarker(later)}\n`]] as const)
    expect(
      upgradeNotes([
        target('db1', {}),
        target('db2', { currentRelease: older, releases: [release(older, 1)] }),
        target('db3', { currentRelease: own.release.id, applied: back }),
        target('db4', { currentRelease: later, applied: mark }),
      ]),
    ).toEqual([])
  })
})
