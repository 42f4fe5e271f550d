import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'

const folder = fileURLToPath(new URL('../../fixtures/ini', import.meta.url))

/** The INI files of the golden pairs. */
export const examples = readdirSync(folder)
  .filter((name) => name.endsWith('.ini'))
  .map((name) => readFileSync(`${folder}/${name}`, 'utf8'))

const names = fc.constantFrom(
  'topology',
  'master',
  'relay',
  'members',
  'dataservice_hosts',
  'slaves',
  'connectors',
  'witnesses',
  'enable-active-witnesses',
  'composite-datasources',
  'rest-api-admin-user',
  'rest-api-admin-pass',
  '--rest_api_admin_password',
  'manager-rest-api',
  'manager-rest-api-port',
  'home-directory',
  'java-tls-keystore-path',
  'log-level',
  'rest-api-allowed-hosts',
  'property',
  '__proto__',
  'constructor',
)

const values = fc.oneof(
  fc.constantFrom(
    'clustered',
    'master-slave',
    'direct',
    'cluster-alias',
    'true',
    'n',
    '8090',
    '',
    '"a"',
    'x # y',
    'x \\',
  ),
  fc
    .array(fc.constantFrom('db1', 'db2', 'db3', '10.0.0.1', '::1', 'db_4', ''), { maxLength: 4 })
    .map((hosts) => hosts.join(',')),
  fc.string({ unit: 'binary', maxLength: 12 }),
)

const sections = fc.constantFrom(
  '[defaults]',
  '[defaults.replicator]',
  '[defaults.x]',
  '[alpha]',
  '[my_svc]',
  '[defaults@db1]',
  '[alpha@db2]',
  '[alpha',
  '[]',
  '[constructor]',
)

const comments = fc.constantFrom('# a comment', ';')

const line = fc.oneof(
  { weight: 2, arbitrary: sections },
  { weight: 8, arbitrary: fc.tuple(names, values).map(([name, value]) => `${name}=${value}`) },
  comments,
  fc.string({ unit: 'binary', maxLength: 20 }),
)

/** Texts of lines as an INI file may have them, and of others. */
export const iniTexts: fc.Arbitrary<string> = fc
  .tuple(fc.array(line, { maxLength: 25 }), fc.constantFrom('\n', '\r\n'))
  .map(([lines, end]) => lines.join(end))

/** The examples after some edits. */
export const mutated: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom(...examples),
    fc.array(
      fc.record({
        at: fc.double({ min: 0, max: 1, noNaN: true }),
        remove: fc.nat({ max: 40 }),
        insert: fc.oneof(
          fc.constantFrom(...'[]=#;"\'\\\n\r\t \0', ' #', '\n[beta]\n'),
          fc.string({ unit: 'binary', maxLength: 6 }),
        ),
      }),
      { minLength: 1, maxLength: 6 },
    ),
  )
  .map(([text, edits]) =>
    edits.reduce((edited, { at, remove, insert }) => {
      const offset = Math.floor(at * edited.length)
      return edited.slice(0, offset) + insert + edited.slice(offset + remove)
    }, text),
  )
