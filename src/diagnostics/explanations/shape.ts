import type { shapeEntries } from '../entries/shape.ts'
import type { Explanation } from './explanation.ts'
import { smallFile } from './smallFile.ts'

const admin = 'rest-api-admin-user: admin'

/** Names and types: what can be judged value by value. */
export const shapeExplanations = {
  'unknown-option': {
    title: 'An option that does not exist',
    about: [
      'Names in `defaults:`, in `options:` or after `--set` must be options of this version.',
      'A misspelt name is an error, not a warning, because it would be ignored silently: with `rest-api-admin-usr` no API would get its administrator.',
      '',
      'Other causes than typing errors: a file for a newer muster, a key of `ssh:` among the options, or an option of the product family that muster does not have.',
      'The value is shown as [redacted], because it may be a password.',
    ],
    bad: smallFile({ defaults: 'log-levl: debug' }),
    good: smallFile({ defaults: 'log-level: debug' }),
    commands: `# every option; then one of them
muster explain
muster explain log-level`,
  },
  'unknown-key': {
    title: 'An unknown name at this place',
    about: [
      'Each group of the file has its own names: the top level has `cluster` and four groups, a service has `members` and similar lists, a host has `address`, `connection`, `ssh` and `options`, and `ssh` has those of a connection.',
      '',
      'Besides misspellings, the usual cause is a wrong level: a line indented two spaces too few belongs to the outer group.',
    ],
    bad: smallFile({ hosts: 'db1: { adress: 10.0.0.11 }' }),
    good: smallFile({ hosts: 'db1: { address: 10.0.0.11 }' }),
    commands: `muster explain`,
  },
  'misplaced-option': {
    title: 'An option one level too high',
    about: [
      'Put options in `defaults:` for every host, or in the `options:` of a service or a host for that one only.',
      'A host itself has only the settings to reach it, a service only its hosts.',
      '',
      'muster does not guess the level, so that each option has one place.',
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
      'The product family knows some options by two names, and muster accepts both: `rest-api-admin-password` is `rest-api-admin-pass`.',
      '',
      'Across groups they are one option: a value in a host overrides the one in `defaults:`, whatever the spelling.',
      'Within one group neither takes precedence. To change a password, change the existing line.',
    ],
    bad: smallFile({
      defaults: `${admin}\nrest-api-admin-pass: !env NEW_PASS\nrest-api-admin-password: !env ADMIN_PASS`,
    }),
    good: smallFile({ defaults: `${admin}\nrest-api-admin-pass: !env NEW_PASS` }),
  },
  'wrong-type': {
    title: 'A value of the wrong type',
    about: [
      'The setting does not allow this value. The message shows which values are allowed.',
      '',
      'Common mistakes: YAML 1.2 reads `yes`, `no`, `on` and `off` as text, so use `true` or `false`; `"8090"` in quotes is a text, not a number; `localhost` is a name, not an address to listen on; and a list needs brackets even for one entry.',
      '',
      'The other checks use the default instead, so another finding about the same setting may disappear with this one.',
    ],
    bad: smallFile({ defaults: 'manager-rest-api: yes' }),
    good: smallFile({ defaults: 'manager-rest-api: true' }),
    commands: `# the allowed values, with an example
muster explain manager-rest-api`,
  },
  'no-value': {
    title: 'A name with nothing after it',
    about: [
      'An empty value does not mean "the default". To use the default, remove the line.',
      '',
      'A value that starts with `#` is empty, because the rest of the line is a comment; this often affects passwords.',
      'In a file made from a template, the variable may be empty: `envsubst` replaces unset variables with nothing.',
    ],
    bad: smallFile({ defaults: 'rest-api-admin-user:' }),
    good: smallFile({ defaults: admin }),
    commands: `# every name with nothing, or only a comment, after it
grep -nE ':[[:space:]]*(#.*)?$' muster.yaml`,
  },
  'missing-unit': {
    title: 'A duration without a unit',
    about: [
      'A plain `30` means seconds in some tools and milliseconds in others, so muster requires a unit.',
      'The units are `ms`, `s` and `m`; the number must be whole, so write `1500ms` for one and a half seconds.',
    ],
    bad: smallFile({ ssh: 'timeout: 30' }),
    good: smallFile({ ssh: 'timeout: 30s' }),
  },
  'missing-key': {
    title: 'A required setting is missing',
    about: [
      'A configuration needs `cluster`, `hosts` and `services`, and each service needs `topology` and `members`.',
      'They have no default.',
      '',
      'If the line is there, check its indentation. It may belong to the group above.',
      'If it is in another file, pass that file too: several files are merged.',
    ],
    bad: smallFile({ service: 'master: db1\nmembers: [db1]' }),
    good: smallFile({}),
    commands: `# a file to compare with
muster init example.yaml`,
  },
  'reference-not-secret': {
    title: '!env, !file or !exec for an option that is not a secret',
    about: [
      'Only passwords can be references. Everything else is in the file, so that a review shows what will be installed, and two runs of one file do the same.',
      '',
      'Put what differs between environments into a second file that overrides the first, or into `--set`.',
    ],
    bad: smallFile({ defaults: 'log-level: !env LOG_LEVEL' }),
    good: smallFile({ defaults: 'log-level: info' }),
    commands: `muster validate muster.yaml staging.yaml
muster validate muster.yaml --set log-level="$LOG_LEVEL"`,
  },
  'bad-reference': {
    title: 'A secret with an invalid source',
    about: [
      '`!env` takes the bare name of a variable, without `$`: letters, digits and underscores, not starting with a digit.',
      '`!file` takes a path, relative to the YAML file. `!exec` takes a list: the program and each of its arguments.',
      '',
      'No shell is involved, so pipes, `$(…)`, `~user` and wildcards do nothing. If you need a shell, write a small script and name it.',
    ],
    bad: smallFile({ defaults: `${admin}\nrest-api-admin-pass: !exec pass show muster` }),
    good: smallFile({ defaults: `${admin}\nrest-api-admin-pass: !exec [pass, show, muster]` }),
  },
  'bad-cluster-name': {
    title: 'A cluster name that cannot be used',
    about: [
      'The name is part of the names of systemd units (`muster-alpha-manager.service`) and folders, on your machine and on every host.',
      'So it may have only lower-case letters, digits, and hyphens in between, 40 characters at most.',
      '',
      'To rename an installed cluster, uninstall it under its old name first: under the new name muster treats it as a different installation and refuses to change it.',
    ],
    bad: smallFile({}).replace('cluster: alpha', 'cluster: Alpha_1'),
    good: smallFile({}).replace('cluster: alpha', 'cluster: alpha-1'),
  },
  'bad-name': {
    title: 'A host or service name that cannot be used',
    about: [
      'The name of a host is in its certificate, and clients may use it in a URL, so the rules of DNS names apply: letters, digits, hyphens and dots, with a letter or a digit at both ends of each part.',
      'The usual mistake is an underscore.',
      '',
      'The name does not have to be the one in DNS. Choose any name and set the `address:` of the host.',
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
