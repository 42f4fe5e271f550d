import { quote } from '../../base/shellWords.ts'
import type { HostConfig } from '../../config/model.ts'
import type { Transport } from '../../transport/transport.ts'
import type { HostFacts } from '../facts/hostFacts.ts'
import type { Layout } from '../layout.ts'
import { musterApiCommand } from '../musterApiCommand.ts'
import type { ServiceSet } from '../services/serviceManager.ts'
import { StepError } from '../stepError.ts'
import type { Target } from '../target.ts'
import { isNewer, nameParts, releasesNamed } from './chooseRelease.ts'

/** Returns why a host cannot be upgraded to this version; undefined if it can. */
export function upgradeProblem(options: {
  readonly host: HostConfig
  readonly facts: HostFacts
  /** Version of the muster that upgrades it. */
  readonly version: string
  /** Value of --release. */
  readonly release?: string | undefined
}): StepError | undefined {
  const { host, facts, version, release } = options
  const { manifest, currentRelease } = facts.installation
  if (manifest === undefined || currentRelease === undefined) {
    return new StepError({
      host: host.name,
      code: 'not-installed',
      message: `no complete installation in ${host.installDirectory}`,
      fix: `Install it with \`muster install --host ${host.name}\`, or exclude it with --host.`,
    })
  }
  const runs = nameParts(currentRelease).version
  if (release !== undefined) {
    // A host without this release is refused later, together with the others.
    const [to] = releasesNamed(facts.installation, release)
    if (to === undefined || !isNewer(runs, nameParts(to.id).version)) return undefined
    return new StepError({
      host: host.name,
      code: 'newer-release',
      message: `it runs ${runs}, which is newer than the release ${to.id}`,
      fix: `To downgrade, run \`muster rollback --to ${release}\` or \`muster install --release ${release}\`.`,
    })
  }
  if (!isNewer(runs, version)) return undefined
  return new StepError({
    host: host.name,
    code: 'newer-release',
    message: `it runs ${runs}, which is newer than this muster, ${version}`,
    fix: `Upgrade with muster ${runs} or a newer one. To downgrade, run \`muster rollback\`.`,
  })
}

/** Exit code of a `muster-api` without the command `check`. */
const exitUnknownCommand = 3

/**
 * Asks a release, without starting it, whether it supports the settings on its host: an older release may not know
 * options of a later one. Releases older than this command are accepted. Throws a `StepError`.
 */
export async function requireSettingsSupport(
  transport: Transport,
  { release, layout, components }: Pick<ServiceSet, 'components'> & { release: string; layout: Layout },
): Promise<void> {
  const folder = `${layout.releases}/${release}`
  const checks = components.map((component) => checkScript(folder, quote(layout.settings(component))))
  const { code, stderr } = await transport.run(checks.join('\n'))
  if (code === 0) return
  const said = String(stderr).replace(/^muster-api: /, '')
  throw new StepError({
    host: transport.host,
    code: 'release-unfit',
    message: `the release ${release} cannot start with the installed settings: ${said}`,
    fix: 'Choose another rollback target with --to, or install the version you want with a muster of that version.',
  })
}

/** Asks an installed release whether it supports the settings that an installation would write. */
export async function requireTargetSupport(
  transport: Transport,
  { release, layout, components }: Target,
): Promise<void> {
  const folder = `${layout.releases}/${release.id}`
  for (const { settingsFile } of components) {
    const { code, stderr } = await transport.run(
      `d=$(mktemp -d) || exit 1
trap 'rm -rf "$d"' EXIT
cat > "$d/settings.json" || exit 1
${checkScript(folder, '"$d/settings.json"')}`,
      { stdin: settingsFile.content },
    )
    if (code === 0) continue
    const said = String(stderr).replace(/^muster-api: (the settings \S+ cannot be used: )?/, '')
    throw new StepError({
      host: transport.host,
      code: 'release-unfit',
      message: `the release ${release.id} does not support the settings that would be installed: ${said}`,
      fix: `Name another release with --release, or install with a muster of version ${release.version}.`,
    })
  }
}

/** Returns sh that fails with the release's own message unless it supports the settings at `path`, which is quoted. */
const checkScript = (folder: string, path: string): string =>
  `${musterApiCommand(folder, `check --settings ${path}`)}
code=$?
[ $code = 0 ] || [ $code = ${exitUnknownCommand} ] || { [ $code = 1 ] || echo "exit code $code" >&2; exit 1; }`
