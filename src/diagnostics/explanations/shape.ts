import type { shapeEntries } from '../entries/shape.ts'
import type { Explanation } from './explanation.ts'
import { smallFile } from './smallFile.ts'

const admin = 'rest-api-admin-user: admin'

/** Names and types: what can be judged value by value. */
export const shapeExplanations = {
  'unknown-option': {
    title: 'An option that does not exist',
    about: [
      'What stands in `defaults:`, in `options:` or after `--set` must be an option of this version.',
      'A misspelt name is an error, not a warning, because of what would silently not happen: with `rest-api-admin-usr` no API would get its administrator.',
      '',
      'Besides slips of the finger: a file written for a newer muster, a key of `ssh:` among the options, or an option of the product family that has no counterpart here.',
      'The value is shown as [redacted], since a misspelt name may well hide a password.',
    ],
    bad: smallFile({ defaults: 'log-levl: debug' }),
    good: smallFile({ defaults: 'log-level: debug' }),
    commands: `# every option; then one of them
muster explain
muster explain log-level`,
  },
  'unknown-key': {
    title: 'A name that has no meaning at its place',
    about: [
      'Each group of the file has its own names: the outermost level has `cluster` and four groups, a service has `members` and its like, a host has `address`, `connection`, `ssh` and `options`, and `ssh` has those of a connection.',
      '',
      'Next to misspellings, the usual cause is a wrong level: a line indented two spaces too few belongs to the group around the one that was meant.',
    ],
    bad: smallFile({ hosts: 'db1: { adress: 10.0.0.11 }' }),
    good: smallFile({ hosts: 'db1: { address: 10.0.0.11 }' }),
    commands: `muster explain`,
  },
  'misplaced-option': {
    title: 'An option one level too high',
    about: [
      'Options stand in `defaults:` for every host, and in the `options:` of a service or a host for those alone.',
      'Directly in a host stands only how to reach it; directly in a service, who belongs to it.',
      '',
      'The level is not guessed, so that each option has one place where a reader will look for it.',
    ],
    bad: smallFile({
      hosts: 'db1:\n  address: 10.0.0.11\n  manager-rest-api-port: 18090',
    }),
    good: smallFile({
      hosts: 'db1:\n  address: 10.0.0.11\n  options: { manager-rest-api-port: 18090 }',
    }),
  },
  'alias-and-name': {
    title: 'Two spellings of one option in one group',
    about: [
      'The product family knows some options by two names, and muster takes both: `rest-api-admin-password` is `rest-api-admin-pass`.',
      '',
      'Across groups they count as one option: the spelling in a host wins over the other one in `defaults:`, as usual.',
      'Within one group there is no order that could decide. When you change a password, change this line and do not add one.',
    ],
    bad: smallFile({
      defaults: `${admin}\nrest-api-admin-pass: !env NEW_PASS\nrest-api-admin-password: !env ADMIN_PASS`,
    }),
    good: smallFile({ defaults: `${admin}\nrest-api-admin-pass: !env NEW_PASS` }),
  },
  'wrong-type': {
    title: 'A value of the wrong kind',
    about: [
      'The value was read, but it is not one that the setting can have. The message tells what it wants.',
      '',
      'What surprises most people: YAML 1.2 reads `yes`, `no`, `on` and `off` as text, so a switch wants `true` or `false`; `"8090"` in quotes is a text and no number; `localhost` is a name where an address to listen on is wanted; and a list needs its brackets even for one entry.',
      '',
      'The remaining checks go on with the default in its place, so another finding about the same setting may vanish with this one.',
    ],
    bad: smallFile({ defaults: 'manager-rest-api: yes' }),
    good: smallFile({ defaults: 'manager-rest-api: true' }),
    commands: `# what it wants, with an example
muster explain manager-rest-api`,
  },
  'no-value': {
    title: 'A name with nothing after it',
    about: [
      'An empty value does not mean "the default". To have the default, remove the line.',
      '',
      'A value that begins with `#` vanishes, because everything from there on is a comment; passwords are prone to it.',
      'In a file made from a template, the variable was empty: `envsubst` puts nothing in the place of what is not set.',
    ],
    bad: smallFile({ defaults: 'rest-api-admin-user:' }),
    good: smallFile({ defaults: admin }),
    commands: `# every name with nothing, or only a comment, after it
grep -nE ':[[:space:]]*(#.*)?$' muster.yaml`,
  },
  'missing-unit': {
    title: 'A length of time without its unit',
    about: [
      'Tools disagree: a bare `30` means seconds to one and milliseconds to the next. muster wants to be told.',
      'The units are `ms`, `s` and `m`; the number before them is whole, so one and a half seconds are `1500ms`.',
    ],
    bad: smallFile({ ssh: 'timeout: 30' }),
    good: smallFile({ ssh: 'timeout: 30s' }),
  },
  'missing-key': {
    title: 'Something that every file must say is missing',
    about: [
      'A configuration has the name of the `cluster`, `hosts`, and `services` that each tell their `topology` and `members`.',
      'They have no default: whether hosts run a clustered service or only replicators is not something to find out after the fact.',
      '',
      'If the line is there, look at its indentation. It may belong to the group above.',
      'If it is in another file, give that one too: several files are judged as one.',
    ],
    bad: smallFile({ service: 'master: db1\nmembers: [db1]' }),
    good: smallFile({}),
    commands: `# a file to compare with
muster init example.yaml`,
  },
  'reference-not-secret': {
    title: '!env, !file or !exec where no secret belongs',
    about: [
      'Only passwords are fetched from elsewhere. All the rest stands in the file, so that whoever reviews it sees what will be installed, and two runs of one file do the same.',
      '',
      'What differs between environments goes into a second file that lies over the first, or into `--set`.',
    ],
    bad: smallFile({ defaults: 'log-level: !env LOG_LEVEL' }),
    good: smallFile({ defaults: 'log-level: info' }),
    commands: `muster validate muster.yaml staging.yaml
muster validate muster.yaml --set log-level="$LOG_LEVEL"`,
  },
  'bad-reference': {
    title: 'A secret whose source cannot be understood',
    about: [
      '`!env` takes the bare name of a variable, without `$`: letters, digits and underscores, not starting with a digit.',
      '`!file` takes a path, relative to the YAML file. `!exec` takes a list: the program and each of its arguments.',
      '',
      'No shell is involved, so pipes, `$(…)`, `~user` and wildcards do nothing. Where one is needed, write a small script and name it.',
    ],
    bad: smallFile({ defaults: `${admin}\nrest-api-admin-pass: !exec pass show muster` }),
    good: smallFile({ defaults: `${admin}\nrest-api-admin-pass: !exec [pass, show, muster]` }),
  },
  'bad-cluster-name': {
    title: 'A cluster name that cannot be used',
    about: [
      'The name goes into those of systemd units (`muster-alpha-manager.service`) and of folders, on your machine and on every host.',
      'Hence the small alphabet: lower-case letters, digits, and hyphens in between, 40 characters at most.',
      '',
      "Choose it with care. To rename a cluster that is installed, uninstall it under its old name first: under the new one muster takes it for somebody else's and refuses to touch it.",
    ],
    bad: smallFile({}).replace('cluster: alpha', 'cluster: Alpha_1'),
    good: smallFile({}).replace('cluster: alpha', 'cluster: alpha-1'),
  },
  'bad-name': {
    title: 'A host or service name that cannot be used',
    about: [
      'The name of a host goes into its certificate, and clients may use it in an address; so the rules of DNS names hold: letters, digits, hyphens and dots, with a letter or a digit at both ends of each part.',
      'An underscore is the usual offender.',
      '',
      'The name need not be the one in DNS. Call the host what you like and give it an `address:`.',
    ],
    bad: smallFile({
      service: 'topology: clustered\nmaster: db_1\nmembers: [db_1]',
      hosts: 'db_1: { address: 10.0.0.11 }',
    }),
    good: smallFile({
      service: 'topology: clustered\nmaster: db-1\nmembers: [db-1]',
      hosts: 'db-1: { address: 10.0.0.11 }',
    }),
  },
} satisfies Record<keyof typeof shapeEntries, Explanation>
