import { hasherOf } from '../accounts/passwordHash.ts'
import type { Define } from '../cli/command.ts'
import { type ExitCode, exitCodes } from '../cli/exitCodes.ts'
import { type FindingFormat, formatGiven, formatOption } from '../cli/formatOption.ts'
import { Interrupted } from '../cli/interrupted.ts'
import type { Component } from '../contracts/component.ts'
import { checkCertificates } from '../deployment/certificates/checkCertificates.ts'
import { checkDrift, type DriftOfHost, withoutConsequences } from '../deployment/checkDrift.ts'
import { recordedMachines } from '../deployment/hostIdentity.ts'
import { installedSet } from '../deployment/installedSet.ts'
import { startHashing } from '../deployment/installedUsers.ts'
import { layoutOf } from '../deployment/layout.ts'
import { givenPasswords, type ResolvedSecrets } from '../deployment/prepare.ts'
import type { ClusterState } from '../deployment/state/clusterState.ts'
import { allFacts, closeAll, type Survey, type SurveyedHost } from '../deployment/survey.ts'
import { checkUsers } from '../deployment/users/checkUsers.ts'
import { finding } from '../diagnostics/finding.ts'
import { driftJson, driftSummary, withGroupedChanges } from '../output/deployment/driftText.ts'
import { passphraseOptions, runOnFiles, targetOptions } from '../session/clusterOptions.ts'
import { prepareConnections } from '../session/connectHost.ts'
import { decideInstall, type InstallSources, readInstallSources } from '../session/install/decideInstall.ts'
import { askAllLeft, endOf, reportLeftHosts } from '../session/leftHosts.ts'
import { type ClusterOptions, type OpenedCluster, openCluster } from '../session/openCluster.ts'
import { readStoreSecrets } from '../session/readUserProvidedStores.ts'
import { placesOfHosts, placesOfMasters, placesOfUsers, reportFindings } from '../session/reportFindings.ts'
import { resolveSecrets } from '../session/resolveSecrets.ts'
import { runtimeFileGiven, runtimeFileOption } from '../session/runOptions.ts'
import type { SelectedCluster } from '../session/selectTargets.ts'
import { surveyReadOnly, withShortTimeout } from '../session/surveyReadOnly.ts'
import { inspectCertificates } from './cert/surveyCertificates.ts'
import { checkSurveyed } from './check.ts'
import { printSchedule, scheduleGiven } from './drift/printSchedule.ts'
import { inspectUsers } from './users/surveyUsers.ts'

export const driftCommand: Define = (made, world) =>
  runOnFiles(
    formatOption(passphraseOptions(runtimeFileOption(targetOptions(made))))
      .option('--schedule', 'print a systemd service and timer that run this on your machine')
      .option('--on-calendar <when>', 'with --schedule: when to run, as systemd.time(7) says; default daily')
      .option('--out <folder>', 'with --schedule: write the units into this folder')
      .note(
        'Exit codes: 0 no drift; 2 a host differs from the file or left it, or a check, certificate or user has a problem; 1 a host could not be examined; 4 only unreachable hosts; others as in `muster --help`.',
      ),
    world,
    (options) => {
      const schedule = scheduleGiven(made)
      const given = { ...options, runtimeFile: runtimeFileGiven(made) }
      return schedule === undefined
        ? drift({ ...given, format: formatGiven(made) })
        : printSchedule({ ...given, ...schedule })
    },
  )

type DriftOptions = ClusterOptions & {
  readonly format: FindingFormat
  readonly runtimeFile: string | undefined
}

const driftHostLeft = finding('drift-host-left', (facts: { host: string; what: string; end: string }) => ({
  message: `${facts.host} left the file. ${facts.what}`,
  why: 'A host that left the file serves clients with the map of its last installation; a new password or a removed user never reaches it.',
  fix: facts.end,
}))

/** Looks for every difference between the hosts and the file over one survey. Writes nothing. */
export async function drift(options: DriftOptions): Promise<ExitCode> {
  const { context, format } = options
  const opened = await openCluster(options)
  const { config, loaded } = opened
  const { now, left, ...seen } = await examine(options, opened)
  const { hosts, certificates, users } = withoutConsequences(seen)
  const at = placesOfHosts(loaded)
  const found = [
    ...checkDrift(hosts, at),
    ...left.map((one) =>
      driftHostLeft(
        { host: one.name, what: one.what, end: endOf(one) },
        { host: one.name, span: at(one.name) },
      ),
    ),
    ...checkCertificates({ hosts: certificates, now, at }),
    ...checkUsers(users, placesOfUsers(loaded)),
  ]
  return reportFindings({
    context,
    format,
    loaded,
    command: 'muster drift',
    found,
    forText: (findings) => withGroupedChanges(findings, hosts),
    codes: /^(drift|certificate|authority|user)-/,
    unreachable: 'drift-host-unreachable',
    told: { config, event: 'drift' },
    exitOfOthers: (codes) =>
      codes.every((code) => unknownCodes.has(code)) ? exitCodes.failed : exitCodes.changes,
    closing: (is) => driftSummary({ ...is, cluster: config.cluster, hosts }),
    more: driftJson(config.cluster, hosts),
  })
}

/** Codes of hosts about which nothing is known. */
const unknownCodes: ReadonlySet<string> = new Set([
  'drift-host-unreachable',
  'drift-host-failed',
  'drift-not-planned',
])

async function examine(options: DriftOptions, opened: OpenedCluster) {
  const { context, runtimeFile } = options
  const { config } = opened
  const secrets = await resolveSecrets(context, opened)
  const given = new Map(config.hosts.map((host) => [host.name, givenPasswords(host, secrets)]))
  await prepareConnections(context, withShortTimeout(config).hosts)
  const hash = hasherOf(context.env)
  const { state, survey } = await surveyReadOnly(context, config, { ...allFacts, callsApis: true }, (known) =>
    startHashing(hash, given, known),
  )
  try {
    const sources = await readInstallSources({ context, config, state, runtimeFile })
    const stores = { files: sources.storeFiles, ...(await readStoreSecrets(context, config.hosts)) }
    const now = context.now()
    const { forks } = context
    const [checks, certificates, users] = await Promise.all([
      checkSurveyed({
        context,
        config,
        survey,
        stores,
        machines: recordedMachines(state),
        placeOfMaster: placesOfMasters(opened.loaded),
      }),
      inspectCertificates(survey, { state, stores, now, forks }),
      inspectUsers(survey, { config, state, given, hash, logins: true, forks }),
    ])
    const around = { context, config, state }
    // Of a part of the hosts they are no drift.
    const left = config.excluded.length === 0 ? await askAllLeft(around) : await reportLeftHosts(around)
    const plans = await planEach(options, { config, secrets, state, survey, sources })
    if (context.signal.aborted) throw new Interrupted()
    const facts = new Map(survey.reached.map((one) => [one.host.name, one.facts]))
    const stopped = new Map(survey.reached.map((one) => [one.host.name, stoppedComponents(config, one)]))
    const hosts = checks.map(
      (one): DriftOfHost => ({
        ...one,
        ...plans.get(one.host),
        isInstalled: facts.get(one.host)?.installation.currentRelease !== undefined,
        stopped: stopped.get(one.host) ?? [],
      }),
    )
    return { hosts, certificates, users, now, left: config.excluded.length === 0 ? left : [] }
  } finally {
    await closeAll(survey)
  }
}

/** Returns the installed components of a host that do not run. */
function stoppedComponents(
  { cluster }: SelectedCluster,
  { host, facts }: SurveyedHost,
): readonly Component[] {
  const { components } = installedSet({ cluster, layout: layoutOf(host.installDirectory), facts })
  return components.filter((component) => facts.services.get(component)?.state !== 'running')
}

/** Plans every host; a host that an installation would refuse does not keep the others from being planned. */
async function planEach(
  options: DriftOptions,
  around: {
    readonly config: SelectedCluster
    readonly secrets: ResolvedSecrets
    readonly state: ClusterState
    readonly survey: Survey
    readonly sources: InstallSources
  },
): Promise<ReadonlyMap<string, Pick<DriftOfHost, 'changes' | 'plan' | 'refused'>>> {
  const plans = new Map<string, Pick<DriftOfHost, 'changes' | 'plan' | 'refused'>>()
  const { config } = around
  let { reached } = around.survey
  while (reached.length > 0) {
    const names = new Set(reached.map(({ host }) => host.name))
    const hosts = config.hosts.filter(({ name }) => names.has(name))
    const others = config.hosts.filter(({ name }) => !names.has(name))
    const decision = await decideInstall({
      ...options,
      ...around,
      config: { ...config, hosts, excluded: [...config.excluded, ...others] },
      survey: { reached, unreachable: [] },
      release: undefined,
      packed: () => undefined,
    })
    if (!('failed' in decision)) {
      for (const { plan } of decision.planned) {
        plans.set(plan.host, { plan, changes: plan.steps.map(({ change }) => change.summary) })
      }
      return plans
    }
    for (const { host, failure } of decision.failed) {
      if (failure !== undefined) plans.set(host, { refused: failure })
    }
    const left = reached.filter(({ host }) => !plans.has(host.name))
    if (left.length === reached.length) return plans
    reached = left
  }
  return plans
}
