import fc from 'fast-check'

/** Names that only an object which is no plain record of data makes something of. */
const traps = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'then',
  'length',
] as const

/** Words that parsers look for, so that arbitrary text comes further than their first line. */
const words = [
  ...[
    'clock',
    'manifest',
    'journal',
    'file',
    'manager',
    'connector',
    'replicator',
    'taken',
    'free',
    'held',
    'failed',
  ],
  ...[
    'text',
    'settings-manager',
    'chain',
    'users',
    'service',
    'release',
    'runtime',
    'node',
    'listener',
    'directory',
  ],
  ...[
    'machine-id',
    'hostname',
    'exists',
    'current',
    'place',
    'untrusted',
    'address',
    'uid',
    'store',
    'name',
    'leftover',
    'firewall',
  ],
  ...[
    'firewalld',
    'hosts-file',
    'libc',
    'yes',
    'running',
    'hostname x',
    'port 0',
    'proxyjump a,b',
    'identityfile ~/x',
  ],
  ...[
    '-----BEGIN CERTIFICATE-----',
    '-----END CERTIFICATE-----',
    '@revoked',
    '|1|a|b',
    'ssh-ed25519',
    'sh -c ',
    "' as ",
  ],
  ...['NaN', 'Infinity', '-1', '1e308', '9'.repeat(40), '0x10', '\u001b[2J', '\r', '\0', '\u202e', '\ud800'],
]

const number = fc.oneof(fc.double(), fc.constantFrom(-1, -0, 1e308, 2 ** 53, Number.MIN_VALUE), fc.integer())

/** Members that our answers have, and those that are traps. */
const memberNames = fc.constantFrom(
  ...traps,
  ...[
    'id',
    'status',
    'error',
    'code',
    'message',
    'body',
    'certificates',
    'certificate',
    'payloadType',
    'payload',
  ],
  ...[
    'title',
    'detail',
    'errors',
    'path',
    'user',
    'users',
    'hash',
    'version',
    'cluster',
    'host',
    'machineId',
    'pid',
  ],
  ...[
    'operation',
    'machine',
    'started',
    'time',
    'level',
    'msg',
    'listen',
    'port',
    'proxy',
    'drainTimeout',
    'apis',
  ],
  ...[
    'hosts',
    'authorities',
    'directory',
    'name',
    'value',
    'services',
    'datasources',
    'state',
    'since',
    'requestId',
  ],
)

/** Any JSON text; `JSON.parse` makes a member of its own of `__proto__`, as a host may write it. */
export const json: fc.Arbitrary<string> = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.oneof(fc.string(), fc.constantFrom(...words, ...traps)).map((text) => JSON.stringify(text)),
    number.map((one) => JSON.stringify(one)),
    fc.constantFrom('null', 'true', 'false', '1e999', '"2026-01-01T00:00:00Z"', '200', '"ended"'),
    fc.array(tie('value'), { maxLength: 4 }).map((items) => `[${items.join(',')}]`),
    fc
      .array(fc.tuple(memberNames, tie('value')), { maxLength: 8 })
      .map((members) => `{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`),
  ),
})).value

const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array))

const word: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...words, ...traps),
  fc.string(),
  number.map(String),
  json,
  fc
    .oneof(
      bytes,
      json.map((text) => Buffer.from(text)),
    )
    .map((content) => content.toString('base64')),
)

/** Lines of words, as our scripts print rows. */
const rows = fc
  .array(
    fc
      .tuple(fc.array(word, { maxLength: 5 }), fc.constantFrom('\t', ' ', ':'))
      .map(([parts, by]) => parts.join(by)),
    { maxLength: 20 },
  )
  .map((lines) => lines.join('\n'))

const base64 = (text: string): string => Buffer.from(text).toString('base64')

/** Lines of a log that claims times which no calendar has, or says its words in other shapes. */
const logLine = fc.oneof(
  fc
    .tuple(fc.constantFrom('0.0', '9'.repeat(17), '9'.repeat(400), '1e9', '8640000000001'), fc.string())
    .map(([time, text]) => `${time}.5 db1 muster-manager[1]: ${text}`),
  json.map((value) => `{"time":${value},"level":${value},"msg":${value}}`),
  fc.string(),
)

/** Answers that are right but for one part. */
const almost = fc
  .tuple(fc.array(logLine, { maxLength: 5 }), word, fc.constantFrom('journal', 'file'))
  .map(([log, clock, kind]) =>
    [
      `clock\t${clock.length % 2 === 0 ? '1' : clock}`,
      `manifest\t${base64('{"version":1,"cluster":"alpha","host":"db1"}')}`,
      `${kind}\tmanager\t${base64(log.join('\n'))}`,
    ].join('\n'),
  )

/** What is long, deep or endless, and must cost no more for it. */
const large = fc.constantFrom(
  '['.repeat(100_000),
  '{"a":'.repeat(100_000),
  `[${'{},'.repeat(400_000)}{}]`,
  '\n'.repeat(50_000),
  '\t'.repeat(100_000),
  'a'.repeat(1_000_000),
  '-----BEGIN CERTIFICATE-----'.repeat(20_000),
  `clock\t1\nfile\tmanager\t${Buffer.from('\n'.repeat(1_000_000)).toString('base64')}`,
  'sh -c '.repeat(100_000),
)

/** What a host, or whoever answers in its place, may write. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 10, arbitrary: rows },
  { weight: 10, arbitrary: json },
  { weight: 5, arbitrary: almost },
  { weight: 4, arbitrary: fc.string({ unit: 'binary' }) },
  { weight: 4, arbitrary: bytes.map((content) => content.toString('utf8')) },
  { weight: 1, arbitrary: large },
)

export const hostileBytes: fc.Arbitrary<Buffer> = fc.oneof(
  bytes,
  hostileText.map((text) => Buffer.from(text)),
)
