import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const source = fileURLToPath(new URL('../src', import.meta.url))

/** Which folders each folder of src may import from, beside base/; ARCHITECTURE.md explains the table. */
const layers: Readonly<Record<string, readonly string[]>> = {
  base: [],
  diagnostics: [],
  contracts: [],
  dashboard: ['contracts'],
  secrets: ['diagnostics'],
  accounts: ['contracts', 'secrets'],
  processes: ['secrets'],
  transport: ['secrets', 'processes'],
  config: ['diagnostics', 'secrets', 'contracts'],
  certificates: ['diagnostics', 'secrets'],
  client: ['contracts', 'secrets'],
  deployment: [
    'diagnostics',
    'contracts',
    'secrets',
    'accounts',
    'processes',
    'config',
    'certificates',
    'transport',
    'client',
  ],
  web: ['diagnostics', 'contracts', 'secrets', 'client'],
  api: ['contracts', 'secrets', 'accounts'],
  components: ['contracts', 'web', 'api', 'client', 'secrets', 'accounts'],
  output: ['diagnostics', 'contracts', 'config', 'client', 'deployment'],
  cli: ['diagnostics', 'secrets', 'processes', 'config', 'output'],
  session: [
    'diagnostics',
    'contracts',
    'secrets',
    'accounts',
    'processes',
    'transport',
    'config',
    'certificates',
    'client',
    'deployment',
    'output',
    'cli',
  ],
  apply: [
    'diagnostics',
    'contracts',
    'secrets',
    'certificates',
    'transport',
    'client',
    'deployment',
    'output',
    'cli',
  ],
  tapi: ['contracts', 'secrets', 'client', 'output', 'cli'],
  commands: [
    'diagnostics',
    'contracts',
    'secrets',
    'accounts',
    'processes',
    'transport',
    'config',
    'certificates',
    'client',
    'deployment',
    'output',
    'cli',
    'session',
    'web',
    'dashboard',
  ],
  bin: [
    'diagnostics',
    'contracts',
    'secrets',
    'accounts',
    'processes',
    'transport',
    'config',
    'certificates',
    'client',
    'deployment',
    'api',
    'components',
    'output',
    'cli',
    'session',
    'apply',
    'tapi',
    'commands',
    'web',
  ],
}

/** The only files that may do I/O: everything else takes values and returns values (rule 1). */
const ioFiles: readonly string[] = [
  'accounts/userFileIo.ts',
  'apply/openBundle.ts',
  'api/audit/auditFile.ts',
  'api/audit/verifyAudit.ts',
  'api/serverFiles.ts',
  'api/listen.ts',
  'api/logOutput.ts',
  'api/remoteAddress.ts',
  'api/server.ts',
  'base/boundedFile.ts',
  'base/fileLock.ts',
  'base/processIdentity.ts',
  'base/trustedFile.ts',
  'bin/manPages.ts',
  'bin/ownPackage.ts',
  'bin/printVersion.ts',
  'bin/processContext.ts',
  'cli/appendLines.ts',
  'cli/readConfigFiles.ts',
  'cli/readInputFile.ts',
  'cli/readRegularFile.ts',
  'cli/writeNewFile.ts',
  'cli/writeNewFiles.ts',
  'client/agentForStream.ts',
  'client/callWebhook.ts',
  'client/openStream.ts',
  'client/readEvents.ts',
  'client/registry.ts',
  'client/request.ts',
  'client/serverCertificates.ts',
  'commands/dashboard/openBrowser.ts',
  'commands/sshToHost.ts',
  'commands/validate/trackedSecrets.ts',
  'components/connector/sockets.ts',
  'components/databases/connect.ts',
  'components/drill/fault.ts',
  'components/localServer.ts',
  'components/manager/crashServer.ts',
  'components/provision/hostDatabase.ts',
  'components/provision/mariadbEngine.ts',
  'components/provision/mysqlEngine.ts',
  'components/provision/ownManager.ts',
  'components/provision/program.ts',
  'components/stateFile.ts',
  'deployment/serverProgram.ts',
  'deployment/runs/runsFile.ts',
  'deployment/runtime/runtimeCache.ts',
  'deployment/runtime/fetchRuntime.ts',
  'deployment/runtime/ownNode.ts',
  'deployment/state/archiveFile.ts',
  'deployment/state/lockState.ts',
  'deployment/state/stateDirectory.ts',
  'deployment/state/stateGate.ts',
  'processes/findProgram.ts',
  'session/connectHost.ts',
  'session/defaultSshConfig.ts',
  'session/leftClusters.ts',
  'session/render/leftovers.ts',
  'transport/login/agentContents.ts',
  'transport/openssh/connectionFolders.ts',
  'transport/openssh/opensshProcess.ts',
  'web/localServer.ts',
  'transport/dial.ts',
]

/** Files outside the contracts that know the prefix of the API's paths, or the guard: all others use `callOf`. */
const prefixFiles: readonly string[] = [
  // A server: where it is called, for the URLs in its responses, and what it takes.
  'api/calls/serverCalls.ts',
  'api/handleRequest.ts',
  'api/validateRequest.ts',
  // `tapi get PATH` and `muster explain PATH` take it from people.
  'client/apiPath.ts',
  'output/explain/calls.ts',
  'tapi/anyCallCommands.ts',
  // Relays calls of the specification only.
  'web/relayedCall.ts',
]

const ioModules = new Set(
  [
    'fs',
    'fs/promises',
    'net',
    'tls',
    'http',
    'https',
    'http2',
    'dgram',
    'dns',
    'dns/promises',
    'child_process',
    'readline',
    'readline/promises',
    'tty',
  ].map((name) => `node:${name}`),
)

/** Which file or folder alone may import a library (rule 2). */
const owners: Readonly<Record<string, RegExp>> = {
  yaml: /^config\/[^/]+\.ts$/,
  ssh2: /^transport\/[^/]+\.ts$/,
  'node-forge': /^certificates\//,
  execa: /^processes\/run\.ts$/,
  listr2: /^output\//,
  mysql2: /^components\/databases\/connect\.ts$/,
  preact: /^dashboard\//,
  '@preact': /^dashboard\//,
  'age-encryption': /^deployment\/render\/seal\.ts$/,
}
const oneFileOnly = ['yaml', 'ssh2', 'execa', 'mysql2']

type Import = { readonly specifier: string; readonly typeOnly: boolean }

const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name) && !name.endsWith('.d.ts'))
  .sort()

function importsOf(file: string): Import[] {
  const text = readFileSync(join(source, file), 'utf8')
  const statements = text.matchAll(
    /^\s*(?:import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?'([^']+)'|import\(\s*'([^']+)'\s*\)/gm,
  )
  return [...statements].map((match) => ({
    specifier: match[2] ?? match[3] ?? '',
    typeOnly: match[1] !== undefined,
  }))
}

/** The path below src that an import of a file means; undefined for a library. */
function target(file: string, specifier: string): string | undefined {
  if (!specifier.startsWith('.')) return undefined
  // A program may carry our version with it: on a database host its bundle lies alone.
  if (folderOf(file) === 'bin' && specifier === '../../package.json') return undefined
  return relative(source, resolve(source, dirname(file), specifier))
}

/** Returns the groups of files that import each other, directly or not; imports of types count, too. */
function circlesOfFiles(): readonly (readonly string[])[] {
  const imports = new Map(
    files.map((file) => [file, importsOf(file).flatMap(({ specifier }) => target(file, specifier) ?? [])]),
  )
  const reached = new Map(
    files.map((file) => {
      const seen = new Set<string>()
      const visit = (path: string): void => {
        if (seen.has(path)) return
        seen.add(path)
        for (const next of imports.get(path) ?? []) visit(next)
      }
      for (const next of imports.get(file) ?? []) visit(next)
      return [file, seen] as const
    }),
  )
  const circles = files
    .filter((file) => reached.get(file)?.has(file))
    .map((file) => [...(reached.get(file) ?? [])].filter((other) => reached.get(other)?.has(file)).sort())
  // Each of its files has found the same circle.
  return [...new Map(circles.map((circle) => [circle[0], circle])).values()]
}

/** Lists the files of src that a program loads at its start, and what they import beside them. */
function loadedBy(start: string) {
  const reached = new Set<string>()
  const foreign: { readonly file: string; readonly specifier: string }[] = []
  const visit = (file: string): void => {
    if (reached.has(file)) return
    reached.add(file)
    for (const { specifier, typeOnly } of importsOf(file)) {
      const path = target(file, specifier)
      if (typeOnly) continue
      if (path !== undefined && files.includes(path)) visit(path)
      else foreign.push({ file, specifier })
    }
  }
  visit(start)
  return { reached, foreign }
}

const folderOf = (file: string): string => file.split('/')[0] ?? ''

const library = (specifier: string): string => specifier.split('/')[0] ?? specifier

/** Tests without a twin in src: of the whole project, or of parts of it together. */
const withoutTwin =
  /^(?:lab|scenarios|simulation|browser|ci|soak|support)\/|^(?:docs|engineMatrix|faultTable|layers|stress\.slow|times)\.test\.ts$/

describe('the layers of src', () => {
  it('are checked against source files that exist', () => {
    expect(files.length).toBeGreaterThan(5)
  })

  it('have a file or folder of src for each test of the same name', () => {
    const tests = readdirSync(join(source, '../test'), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.test.ts') && !withoutTwin.test(path))
      // `x.slow.test.ts` is one more file about x.
      .map((path) => ({ path, twin: join(dirname(path), basename(path).replace(/\..*$/, '')) }))
    expect(tests.length).toBeGreaterThan(100)
    const paths = new Set(files.flatMap((file) => [file, dirname(file)]))
    const orphans = tests.filter(
      ({ twin }) => !paths.has(`${twin}.ts`) && !paths.has(`${twin}.tsx`) && !paths.has(twin),
    )
    expect(orphans.map(({ path }) => path)).toEqual([])
  })

  it('have no folder outside the table and no file above the folders', () => {
    expect(files.filter((file) => !(folderOf(file) in layers))).toEqual([])
  })

  it('import only downwards', () => {
    const wrong = files.flatMap((file) =>
      importsOf(file)
        .map(({ specifier }) => target(file, specifier))
        .filter((path) => path !== undefined)
        .filter((path) => folderOf(path) !== folderOf(file))
        .filter(
          (path) => folderOf(path) !== 'base' && !(layers[folderOf(file)] ?? []).includes(folderOf(path)),
        )
        .map((path) => `${file} imports ${path}`),
    )
    expect(wrong).toEqual([])
  })

  it('have no circle of files', () => {
    expect(circlesOfFiles()).toEqual([])
  })

  it('have no two folders that import each other, but a folder and one below it', () => {
    const edges = new Set(
      files.flatMap((file) =>
        importsOf(file)
          .map(({ specifier }) => target(file, specifier))
          .filter((path) => path !== undefined && files.includes(path))
          .map((path) => `${dirname(file)} ${dirname(path ?? '')}`),
      ),
    )
    const mutual = [...edges].filter((edge) => {
      const [from = '', to = ''] = edge.split(' ')
      return from < to && edges.has(`${to} ${from}`) && !to.startsWith(`${from}/`)
    })
    expect(mutual).toEqual([])
  })

  it('have no file name more than twice', () => {
    const names = files.map((file) => basename(file))
    const often = names.filter((name) => names.filter((other) => other === name).length > 2)
    expect([...new Set(often)]).toEqual([])
  })

  it('import nothing from outside src but libraries', () => {
    const wrong = files.flatMap((file) =>
      importsOf(file)
        .map(({ specifier }) => target(file, specifier))
        .filter((path) => path?.startsWith('..'))
        .map((path) => `${file} imports ${path}`),
    )
    expect(wrong).toEqual([])
  })

  it('do I/O only in the listed files', () => {
    const doing = files.filter((file) =>
      importsOf(file).some(({ specifier, typeOnly }) => !typeOnly && ioModules.has(specifier)),
    )
    expect(doing).toEqual([...ioFiles].sort())
  })

  it('write no path of the API but in the contracts', () => {
    const withoutComments = (text: string): string => text.replace(/^\s*(?:\/?\*|\/\/).*$/gm, '')
    const knowing = files.filter(
      (file) =>
        folderOf(file) !== 'contracts' &&
        /\b(?:basePath|guardParameter)\b|\/api\/v2|['"`]\/(?:health\/(?:live|ready)|openapi\.json|muster\/(?:users|service|routing|events))/.test(
          withoutComments(readFileSync(join(source, file), 'utf8')),
        ),
    )
    expect(knowing).toEqual([...prefixFiles].sort())
  })

  it('keep each library behind its one door', () => {
    const users = Object.keys(owners).map((name) => ({
      name,
      files: files.filter((file) =>
        importsOf(file).some(({ specifier, typeOnly }) => !typeOnly && library(specifier) === name),
      ),
    }))
    for (const { name, files: importing } of users) {
      expect(importing.filter((file) => !owners[name]?.test(file))).toEqual([])
      if (oneFileOnly.includes(name)) expect(importing.length, name).toBeLessThanOrEqual(1)
    }
  })

  it('bring neither Node.js nor a library but Preact to the browser', () => {
    const { reached, foreign } = loadedBy('dashboard/start.tsx')
    expect(reached.size).toBeGreaterThan(20)
    expect(foreign.filter(({ specifier }) => !/^@?preact\//.test(`${specifier}/`))).toEqual([])
  })

  it('read a configuration without the library of schemas, which takes longer to load', () => {
    const { reached, foreign } = loadedBy('config/load.ts')
    expect(reached.size).toBeGreaterThan(50)
    expect(foreign.filter(({ specifier }) => library(specifier) === 'typebox')).toEqual([])
  })

  it('let neither steps, rules nor components import their siblings', () => {
    const families = ['deployment/steps', 'config/rules']
    const siblings = files.flatMap((file) =>
      importsOf(file)
        .map(({ specifier }) => target(file, specifier))
        .filter((path) => path !== undefined)
        .filter(
          (path) =>
            families.some((family) => dirname(file) === family && dirname(path) === family) ||
            (/^components\/\w+\//.test(file) &&
              /^components\/(manager|connector|replicator)\//.test(path) &&
              file.split('/')[1] !== path.split('/')[1]),
        )
        .map((path) => `${file} imports ${path}`),
    )
    expect(siblings).toEqual([])
  })

  it('carry no SSH client and no deployment code to a database host', () => {
    const forbidden = /^(transport|deployment|config|cli|session|commands)\//
    expect([...loadedBy('bin/muster-api.ts').reached].filter((file) => forbidden.test(file))).toEqual([])
  })
})
