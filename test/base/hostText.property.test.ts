import { PassThrough } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { HostText } from '../../src/base/hostText.ts'
import { parseJson } from '../../src/base/json.ts'
import { leafFacts } from '../../src/certificates/certificateFacts.ts'
import { describeChain } from '../../src/certificates/chain.ts'
import { parseCallResults } from '../../src/client/call.ts'
import { listedUsers } from '../../src/client/calls.ts'
import { ClientError } from '../../src/client/clientError.ts'
import { isReadableAuthority } from '../../src/client/endpoint.ts'
import { readProblem } from '../../src/client/envelope.ts'
import { parseRegistration } from '../../src/client/registry.ts'
import { parseBody } from '../../src/client/request.ts'
import { callHost } from '../../src/deployment/callHost.ts'
import { parseLogins } from '../../src/deployment/databaseAccounts.ts'
import { hostReport } from '../../src/deployment/diag/hostReport.ts'
import { changeLines, optionChangeText, settingsDifference } from '../../src/deployment/differences.ts'
import { execOnHost } from '../../src/deployment/execOnHost.ts'
import { gatherFacts, gatherInstalled } from '../../src/deployment/facts/gather.ts'
import { failureOf } from '../../src/deployment/hostFailure.ts'
import { requireOwnMachine } from '../../src/deployment/hostIdentity.ts'
import { installedUsers } from '../../src/deployment/installedUsers.ts'
import { layoutOf } from '../../src/deployment/layout.ts'
import { hostLocks } from '../../src/deployment/lock/hostLocks.ts'
import { lockingTransport } from '../../src/deployment/lock/lockingTransport.ts'
import { readLogs } from '../../src/deployment/logs/readLogs.ts'
import { installedListeners, parseManifest } from '../../src/deployment/manifest.ts'
import { installationProblems } from '../../src/deployment/preflight/checks.ts'
import { observe } from '../../src/deployment/preflight/observe.ts'
import { requireSettingsSupport } from '../../src/deployment/releases/compatibility.ts'
import { shortenLogLine } from '../../src/deployment/services/serviceFailure.ts'
import { drainTimeoutOf } from '../../src/deployment/services/stopTimeouts.ts'
import { StepError } from '../../src/deployment/stepError.ts'
import { execJson, execText } from '../../src/output/deployment/exec.ts'
import { failureText } from '../../src/output/deployment/failureText.ts'
import { logsJson, logsText } from '../../src/output/deployment/logs.ts'
import { Secret } from '../../src/secrets/secret.ts'
import { renderProblem } from '../../src/tapi/call/callFailure.ts'
import { renderBody } from '../../src/tapi/call/render.ts'
import { renderDatasource, renderService } from '../../src/tapi/call/renderDatasources.ts'
import { renderConnector } from '../../src/tapi/connectorCommand.ts'
import { renderMap } from '../../src/tapi/mapCommand.ts'
import { renderServiceList, renderServices } from '../../src/tapi/replicatorCommand.ts'
import { renderTopology } from '../../src/tapi/topologyCommand.ts'
import {
  checkHostKey,
  fingerprint,
  parseKnownHosts,
  typeOfKey,
} from '../../src/transport/hostKeys/knownHosts.ts'
import { heldKeys } from '../../src/transport/login/agentContents.ts'
import { publicPart } from '../../src/transport/login/keyFile.ts'
import { parseJumpHosts } from '../../src/transport/route.ts'
import { openFramedShell } from '../../src/transport/shell/framedShell.ts'
import { shellRefusal } from '../../src/transport/shell/sshShell.ts'
import { readSshConfig } from '../../src/transport/sshConfig.ts'
import { attemptError, forwardError } from '../../src/transport/sshErrors.ts'
import { parseKey } from '../../src/transport/sshSession.ts'
import { TransportError } from '../../src/transport/transportError.ts'
import { hostConfig, hostFacts, installationFacts } from '../support/deploymentValues.ts'
import { fakeTransport } from '../support/fakeTransport.ts'
import { hostileBytes, hostileText, json } from './hostileText.ts'

const host = hostConfig()
const layout = layoutOf('/opt/muster')
const cluster = 'alpha'
const machines = { recorded: new Map([['db1', 'known']]), folders: new Map<string, string>(), replaced: [] }

/**
 * A host that answers `text` to whatever it is asked, on both outputs; where the script has a nonce, each line with it,
 * as a host does that is root's to answer with.
 */
const answering = (text: string, code = 0) =>
  fakeTransport({
    expect: [
      {
        script: '',
        result: (script) => {
          const nonce = /^nonce=(\w+)$/m.exec(script)?.[1]
          const rows = text.split('\n').map((line) => `${nonce}\t${line}`)
          return { code, stdout: nonce === undefined ? text : rows.join('\n'), stderr: text }
        },
      },
    ],
  })

const requests = [
  {
    ...{ id: 'manager', method: 'GET' as const, path: '/api/v2/ping', timeout: 1000 },
    target: { socket: '/x' },
  },
]
const connect = (text: string) => async () => answering(text)
const factsRequest = { cluster, layout, user: 'muster', hostStores: [] }

/** What reads the output of a host's script; a host that cannot be understood is that host's failure. */
const doors: Readonly<Record<string, (text: string) => Promise<unknown>>> = {
  'calls of APIs': (text) =>
    callHost({
      ...{ transport: answering(text), layout, account: { user: 'muster', isOther: true } },
      ...{ requests, timeout: 1000, running: true },
    }),
  'facts and their rules': async (text) => {
    const facts = await gatherFacts(answering(text), factsRequest)
    installedListeners(facts)
    return [installationProblems({ cluster, host, facts }), drainTimeoutOf(facts)]
  },
  'facts of what is installed': async (text) => {
    const { installation } = await gatherInstalled(answering(text), { cluster, layout })
    return installedUsers(installation.users)
  },
  'facts that failed': (text) => gatherFacts(answering(text, 1), factsRequest),
  logs: async (text) => {
    const lines = await readLogs(answering(text), { cluster, host, lines: 100 })
    return [logsText(lines, { colour: true }), logsJson(lines)]
  },
  locks: (text) => hostLocks({ hosts: [host], forks: undefined, connect: connect(text) }),
  'the lock that a run takes': async (text) => {
    const owner = { id: 'a', operation: 'install', cluster, user: 'me', machine: 'here', pid: 2 }
    const locking = { installDirectory: '/opt/muster', owner, runs: () => false, beforeNext: () => '' }
    const transport = lockingTransport(answering(text), locking)
    return transport.run('true').finally(() => transport.close())
  },
  'who the host is': (text) => requireOwnMachine(answering(text), { host, machines }),
  'what check looks at': (text) =>
    observe(answering(text), { installDirectory: '/opt/muster', names: ['db1'], now: () => new Date(0) }),
  'the report for a bug': (text) => hostReport(answering(text), { cluster, host }),
  exec: async (text) => {
    const result = await execOnHost(answering(text), { words: ['true'], timeout: 1000 })
    return [
      execText([{ host: 'db1', result }], { colour: false, width: 80 }),
      execJson([{ host: 'db1', result }]),
    ]
  },
  'whether a release understands its settings': (text) =>
    requireSettingsSupport(answering(text, 1), { release: 'r', layout, components: ['manager'] }),
}

const expected = (error: unknown): boolean => error instanceof StepError || error instanceof TransportError

const place = { host: 'db1', address: '10.0.0.11', port: 22, user: 'me', timeout: 1000 }
const progress = { bannerReceived: true, handshakeDone: true, tried: ['k'], skipped: [], partial: false }

/** Parsers of text or bytes that answer for everything, and never throw. */
const readers: Readonly<Record<string, (text: string) => unknown>> = {
  parseJson,
  parseCallResults,
  parseLogins,
  parseRegistration,
  parseManifest,
  shortLine: shortenLogLine,
  'the certificates of a host': (text) => [
    describeChain(text, new Date(0)),
    leafFacts(text, new Date(0)),
    isReadableAuthority(text),
  ],
  'installed users': (text) => installedUsers(new Secret(text)),
  'installed settings': (text) =>
    drainTimeoutOf(
      hostFacts({
        installation: installationFacts({ settings: new Map([['connector', parseJson(text)] as const]) }),
      }),
    ),
  'the difference of settings': (text) => {
    const { own, known } = settingsDifference(parseJson(text), Object.create(null))
    return changeLines(own.map(optionChangeText), known)
  },
  'known hosts': (text) => {
    const entries = parseKnownHosts(text, 'known_hosts')
    return checkHostKey(entries, { names: ['db1', text.slice(0, 50)], port: 22 }, Buffer.from(text))
  },
  'ssh -G': (text) =>
    readSshConfig(text, { host: 'db1', env: { home: '/h', user: 'me', variables: {} }, sshHome: '/h' }),
  'jump hosts': (text) => parseJumpHosts([text.slice(0, 300)]),
  'words of an SSH server': (text) => [
    attemptError(place, { ...progress, offered: [text] }, new Error(text)),
    attemptError(place, { ...progress, offered: [] }, new Error(text)),
    attemptError(place, { ...progress, handshakeDone: false, offered: [] }, new Error(text)),
    forwardError({ jump: 'j', next: 'db1', address: 'a', port: 1 }, { message: text, reason: text }),
    shellRefusal({ host: 'db1', user: 'me', sudo: true, output: text, why: text, timedOut: false }),
    String(new HostText(text)),
  ],
}

const byteReaders: Readonly<Record<string, (bytes: Buffer) => unknown>> = {
  'a host key': (bytes) => [typeOfKey(bytes), fingerprint(bytes)],
  'a key file': (bytes) => [publicPart(bytes), parseKey(bytes)],
  'what an agent holds': (bytes) => [
    heldKeys(bytes),
    heldKeys(Buffer.concat([Buffer.from([12, 0, 0, 0, 1]), bytes])),
  ],
}

/** What becomes of an answer of an API, whatever JSON it is. */
const payloads: Readonly<Record<string, (body: unknown) => unknown>> = {
  'a problem': (body) => {
    const problem = readProblem({ status: 500, body })
    return problem === undefined ? undefined : renderProblem(problem)
  },
  'a list of users': listedUsers,
  'a body': renderBody,
  'a service': renderService,
  'a data source': renderDatasource,
  'services of the replicator': renderServices,
  'a list of services': renderServiceList,
  'a topology': renderTopology,
  'a connector': renderConnector,
  'a services map': renderMap,
}

const isClean = (): boolean => Object.keys(Object.prototype).length === 0 && !('polluted' in {})

describe('any response of a host or an API', () => {
  it.each(Object.entries(doors))(
    'is read or is the failure of that host, whatever it is: %s',
    async (_what, door) => {
      await fc.assert(
        fc.asyncProperty(hostileText, async (text) => {
          const error = await door(text).then(
            () => undefined,
            (reason: unknown) => reason,
          )
          if (error !== undefined) {
            expect(expected(error), String(error)).toBe(true)
            expect(failureOf(error).code).not.toBe('internal-error')
            expect(
              failureText({ host: 'db1', failure: failureOf(error), colour: false }).length,
            ).toBeLessThan(20_000)
          }
          expect(isClean()).toBe(true)
        }),
        { numRuns: 150 },
      )
    },
  )

  it.each(Object.entries(readers))('is parsed without an exception: %s', (_what, read) => {
    fc.assert(
      fc.property(hostileText, (text) => {
        read(text)
        expect(isClean()).toBe(true)
      }),
      { numRuns: 200 },
    )
  })

  it.each(Object.entries(byteReaders))('is parsed without an exception as bytes: %s', (_what, read) => {
    fc.assert(
      fc.property(hostileBytes, (bytes) => {
        read(bytes)
      }),
      { numRuns: 200 },
    )
  })

  it.each(Object.entries(payloads))('is shown without an exception as JSON: %s', (_what, show) => {
    fc.assert(
      fc.property(json, (text) => {
        show(JSON.parse(text))
        expect(isClean()).toBe(true)
      }),
      { numRuns: 300 },
    )
  })

  it('is a body or a failure of the call', () => {
    const types = fc.constantFrom('application/json', 'application/problem+json', 'text/plain', undefined)
    fc.assert(
      fc.property(hostileText, types, (text, contentType) => {
        try {
          parseBody({ place: 'https://x', contentType, text })
        } catch (error) {
          expect(error).toBeInstanceOf(ClientError)
        }
      }),
    )
  })

  it('gives no shell, or one whose runs fail as those of the host', async () => {
    const nonce = 'ab'.repeat(16)
    await fc.assert(
      fc.asyncProperty(fc.array(hostileBytes, { maxLength: 5 }), fc.boolean(), async (chunks, isReady) => {
        const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
        let end = (_why: string): void => undefined
        const gone = new Promise<string>((resolve) => {
          end = resolve
        })
        stdin.resume()
        const streams = { stdin, stdout, stderr, ended: gone, destroy: () => end('cut') }
        const opening = openFramedShell({
          ...{ host: 'db1', streams, nonce, timeout: 5000 },
          random: (size) => Buffer.alloc(size, 0xcd),
        })
        if (isReady) for (const stream of [stdout, stderr]) stream.write(`\n${nonce}\n`)
        const id = 'cd'.repeat(16)
        const answer = async (): Promise<void> => {
          for (const chunk of chunks) {
            stdout.write(chunk)
            stderr.write(chunk)
            stdout.write(`\n${id} ${chunk.toString('latin1').slice(0, 5)}`)
            stderr.write(`\n${id}\n`)
          }
          // A turn for what was written.
          await new Promise((resolve) => setImmediate(resolve))
          end('it ended')
        }
        if (!isReady) await answer()
        const opened = await opening
        if (!opened.ready) return
        const running = opened.shell.run('true').then(
          () => undefined,
          (reason: unknown) => reason,
        )
        await new Promise((resolve) => setImmediate(resolve))
        await answer()
        const error = await running
        if (error !== undefined) expect(error).toBeInstanceOf(TransportError)
      }),
      { numRuns: 100 },
    )
  })
})
