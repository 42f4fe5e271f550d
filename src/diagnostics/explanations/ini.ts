import type { iniEntries } from '../entries/ini.ts'
import type { Explanation } from './explanation.ts'

const service = 'topology=clustered\nmaster=db1\nmembers=db1,db2,db3'

const iniFile = (given: { readonly defaults?: string; readonly alpha?: string }): string =>
  [
    ...(given.defaults === undefined ? [] : ['[defaults]', given.defaults]),
    '[alpha]',
    given.alpha ?? service,
  ].join('\n')

const language = 'ini'

/** INI files of the product family, on their way in and out. */
export const iniExplanations = {
  'ini-not-an-option': {
    title: 'An invalid line in an INI file',
    about: [
      'A line is a section in brackets, an option with an equals sign, or a comment that starts with `#` or `;`. This line is none of them.',
      '',
      'Often it is the rest of a value that was split over two lines, which INI files of this family do not support; then the option above it is incomplete.',
    ],
    language,
    bad: iniFile({ alpha: service.replace('db2,db3', 'db2,\n  db3') }),
    good: iniFile({}),
  },
  'ini-bad-section': {
    title: 'A section without a valid name',
    about: [
      'A section is a name in brackets, alone on its line. Options below an invalid one are not used, because they could belong to any service.',
      'They are in the YAML file as comments.',
    ],
    language,
    bad: `[beta\n${iniFile({})}`,
    good: iniFile({}),
  },
  'ini-outside-section': {
    title: 'An option above the first section',
    about: [
      'It is not clear which service the option is for, and it may have had no effect for years. Check whether you need it.',
    ],
    language,
    bad: `log-level=debug\n${iniFile({})}`,
    good: iniFile({ defaults: 'log-level=debug' }),
  },
  'ini-section-twice': {
    title: 'A section given twice',
    about: [
      'The import merges the two, in their order. Check them: the second one may be a copy that should have been another service.',
    ],
    language,
    bad: iniFile({}).replace('members=', '[alpha]\nmembers='),
    good: iniFile({}),
  },
  'ini-option-twice': {
    title: 'An option given twice in a section',
    about: [
      'The later line is used. Two spellings of one option, with `_` or `-` or an older name, are the same option.',
      '',
      'Check that the value that is used is the one you expect.',
    ],
    language,
    bad: iniFile({ alpha: `${service}\nmembers=db1,db2,db4` }),
    good: iniFile({}),
  },
  'ini-no-value': {
    title: 'An option without a value',
    about: [
      'An empty value neither switches the option off nor means its default. The line is kept in the YAML file as a comment.',
      'If it was a secret that was removed before the file was shared, add it as `!env` or `!file`.',
    ],
    language,
    bad: iniFile({ defaults: 'rest-api-admin-user=' }),
    good: iniFile({ defaults: 'rest-api-admin-user=admin' }),
  },
  'ini-no-counterpart': {
    title: 'An option that muster does not have',
    about: [
      'muster manages the REST APIs and what they need. Most options of the product family are for other parts, such as backups, the JVM or the directories of the database, and have no meaning here.',
      '',
      'Each line is kept as a comment at its place in the YAML file. Review the comments and delete those that you do not need.',
    ],
    language,
    bad: iniFile({ defaults: 'repl-thl-directory=/var/thl' }),
    good: iniFile({}),
  },
  'ini-section-without-counterpart': {
    title: 'A section that muster does not use',
    about: [
      'A composite service joins other services, and an alias names a cluster that is installed elsewhere. muster deploys to hosts, and neither has hosts of its own.',
      '',
      'The services in a composite one are imported as usual. If the file has nothing else, import the files of those clusters.',
    ],
    language,
    bad: `${iniFile({})}\n[global]\ntopology=clustered\ncomposite-datasources=alpha`,
    good: iniFile({}),
  },
  'ini-topology-assumed': {
    title: 'A service without a topology',
    about: [
      'The INI file does not set it. Connectors and witnesses exist only in clusters, so without them the import assumes a replicator service.',
      '',
      'Check this line of the YAML file first. The wrong topology puts the wrong components on every member.',
    ],
    language,
    bad: iniFile({ alpha: service.replace('topology=clustered\n', '') }),
    good: iniFile({}),
  },
  'ini-renamed': {
    title: 'A name that was changed in the YAML file',
    about: [
      'Names of hosts and services must be valid in certificates: letters, digits, hyphens and dots. A host that the INI file names by its address gets a name and keeps the address; an underscore becomes a hyphen.',
      '',
      'You can choose better names. Change each of them everywhere, under `hosts:` and in the services.',
    ],
    language,
    bad: iniFile({ alpha: 'topology=clustered\nmaster=10.0.0.11\nmembers=10.0.0.11' }),
    good: iniFile({ alpha: 'topology=clustered\nmaster=db1\nmembers=db1' }),
  },
  'ini-quotes': {
    title: 'Quotes around a value',
    about: [
      'For the tools of the product family, quotes in an INI file are characters like any other. So the quotes around a password are part of the password, and the import keeps them.',
      'Quotes around other values are removed.',
      '',
      'Test the password in the YAML file before you rely on it.',
    ],
    language,
    bad: iniFile({ defaults: 'log-level="debug"' }),
    good: iniFile({ defaults: 'log-level=debug' }),
  },
  'ini-value-cut': {
    title: 'A secret cut off by a comment',
    about: [
      'A space followed by `#` or `;` starts a comment, even within a value. If the password of your cluster has such characters, only the part before them was used.',
      '',
      'So the imported value is usually the one in use. If logins fail with it, see the comment next to it.',
    ],
    language,
    bad: iniFile({ defaults: 'rest-api-admin-user=admin\nrest-api-admin-pass=Vk2pe8s #wH5d' }),
    good: iniFile({ defaults: 'rest-api-admin-user=admin\nrest-api-admin-pass=Vk2pe8s-wH5d' }),
  },
  'ini-trailing-backslash': {
    title: 'A backslash at the end of a value',
    about: [
      'It is usually left from a command line, where a backslash continues the line. In an INI file it does not, and the tools of the product family drop it too.',
      'Check whether the next line was meant to be part of this one.',
    ],
    language,
    bad: iniFile({ defaults: 'log-level=debug \\' }),
    good: iniFile({ defaults: 'log-level=debug' }),
  },
  'ini-passive-witness': {
    title: 'A witness that would run a manager',
    about: [
      'In the product family a witness is only pinged unless `enable-active-witnesses=true` is given; any machine can be one, even a router. In muster a witness is a host that runs a manager and is reached over SSH.',
      '',
      'If the machine can run a manager, keep it. If not, remove `witnesses:` from the YAML file and check the number of remaining members.',
    ],
    language,
    bad: iniFile({ alpha: `${service}\nwitnesses=w1` }),
    good: iniFile({ alpha: `${service},w1\nwitnesses=w1\nenable-active-witnesses=true` }),
  },
  'ini-no-service': {
    title: 'An INI file without a data service',
    about: [
      'The import needs at least one section with members. A file with only `[defaults]` is part of a set, with the services in other files of the same folder.',
      '',
      'Combine them into one file in the order in which they are read, then import that.',
    ],
    language,
    bad: '[defaults]\nlog-level=debug',
    good: iniFile({ defaults: 'log-level=debug' }),
  },
  'ini-muster-comment': {
    title: 'An invalid comment for muster',
    about: [
      '`muster export` writes settings without an INI option as comments that start with `# muster:`, and the import reads them back. This one was changed by hand or cut off.',
      '',
      'It is kept as a plain comment. Add its setting to the YAML file.',
    ],
    language,
    bad: `# muster: hosts.db1.address\n${iniFile({})}`,
    good: `# muster: hosts.db1.address = 10.0.0.11\n${iniFile({})}`,
  },
  'no-ini-counterpart': {
    title: 'A setting that INI files of the family do not have',
    about: [
      'The product family has no option for it, so `muster export` writes it as a comment that starts with `# muster:`. The tools of the family ignore it, and `muster import` reads it, so nothing is lost between export and import.',
      '',
      'If the tools of the family will read the file, check what they do without the setting; for most, such as `ssh:` and the service manager, they have their own way.',
    ],
  },
} satisfies Record<keyof typeof iniEntries, Explanation>
