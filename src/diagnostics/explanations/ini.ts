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
    title: 'A line of an INI file that is nothing',
    about: [
      'Lines are sections in brackets, options with an equals sign, or comments that start with `#` or `;`. This one is none of them.',
      '',
      'Often it is the rest of a value that somebody broke over two lines, which INI files of this family do not know; then the option above it is incomplete.',
    ],
    language,
    bad: iniFile({ alpha: service.replace('db2,db3', 'db2,\n  db3') }),
    good: iniFile({}),
  },
  'ini-bad-section': {
    title: 'A section that is not named properly',
    about: [
      'A section is a name in brackets, alone on its line. What stands below a broken one is not used, since it could belong to any service.',
      'All of it is in the YAML file as comments, ready to be moved.',
    ],
    language,
    bad: `[beta\n${iniFile({})}`,
    good: iniFile({}),
  },
  'ini-outside-section': {
    title: 'An option above the first section',
    about: [
      'Nothing says whom the option is for, and it may have had no effect for years. Ask yourself whether you want it now.',
    ],
    language,
    bad: `log-level=debug\n${iniFile({})}`,
    good: iniFile({ defaults: 'log-level=debug' }),
  },
  'ini-section-twice': {
    title: 'One section in two places',
    about: [
      'The import joins the two, in their order. It is worth a look all the same: the second one may be a copy that should have been another service.',
    ],
    language,
    bad: iniFile({}).replace('members=', '[alpha]\nmembers='),
    good: iniFile({}),
  },
  'ini-option-twice': {
    title: 'One option given twice in a section',
    about: [
      'The later line counts. Two spellings of one option, with `_` or `-` or by an older name, count as the same.',
      '',
      'Check that the value which counts is the one that you believed to be in force.',
    ],
    language,
    bad: iniFile({ alpha: `${service}\nmembers=db1,db2,db4` }),
    good: iniFile({}),
  },
  'ini-no-value': {
    title: 'An option without a value',
    about: [
      'An empty value switches nothing off and is not the default by another name. The line goes into the YAML file as a comment.',
      'If it was a secret that somebody took out before passing the file on, put it back as `!env` or `!file`.',
    ],
    language,
    bad: iniFile({ defaults: 'rest-api-admin-user=' }),
    good: iniFile({ defaults: 'rest-api-admin-user=admin' }),
  },
  'ini-no-counterpart': {
    title: 'Something that muster has no option for',
    about: [
      'muster looks after the REST APIs and what they need. Most options of the product family are about other parts, such as backups, the JVM or the directories of the database, and mean nothing here.',
      '',
      'Nothing is lost: each line is a comment at its place in the YAML file. Read them once, and delete what you do not need.',
    ],
    language,
    bad: iniFile({ defaults: 'repl-thl-directory=/var/thl' }),
    good: iniFile({}),
  },
  'ini-section-without-counterpart': {
    title: 'A section that muster has no use for',
    about: [
      'A composite service joins other services, and an alias names a cluster that is installed elsewhere. muster deploys to hosts, and neither has hosts of its own.',
      '',
      'The services that a composite one joins are imported as usual. If nothing else was in the file, import the files of those clusters.',
    ],
    language,
    bad: `${iniFile({})}\n[global]\ntopology=clustered\ncomposite-datasources=alpha`,
    good: iniFile({}),
  },
  'ini-topology-assumed': {
    title: 'A service without a topology',
    about: [
      'The INI file left it to the product that read it. The import looks at what the service has: connectors and witnesses exist in clusters only, so without them it is taken for a service of replicators.',
      '',
      'Look at this line of the YAML file before anything else. The wrong topology puts the wrong components on every member.',
    ],
    language,
    bad: iniFile({ alpha: service.replace('topology=clustered\n', '') }),
    good: iniFile({}),
  },
  'ini-renamed': {
    title: 'A name that is another one in the YAML file',
    about: [
      'Hosts and services go by names that certificates can carry: letters, digits, hyphens and dots. A host that the INI file names by its address gets a name and keeps the address; an underscore becomes a hyphen.',
      '',
      'Better names are yours to give. Change each of them in all places, under `hosts:` and in the services.',
    ],
    language,
    bad: iniFile({ alpha: 'topology=clustered\nmaster=10.0.0.11\nmembers=10.0.0.11' }),
    good: iniFile({ alpha: 'topology=clustered\nmaster=db1\nmembers=db1' }),
  },
  'ini-quotes': {
    title: 'Quotes around a value',
    about: [
      'For the tools of the product family, quotes in an INI file are characters like any other. A password in quotes has been a password with quotes all along, and the import keeps it that way.',
      'Around anything else they would make no sense, so they are left out.',
      '',
      'Try the password as it now stands in the YAML file before you rely on it.',
    ],
    language,
    bad: iniFile({ defaults: 'log-level="debug"' }),
    good: iniFile({ defaults: 'log-level=debug' }),
  },
  'ini-value-cut': {
    title: 'A secret that a comment cuts short',
    about: [
      'A blank and a `#` or `;` after it start a comment, in the middle of a value as well. If the password of your cluster has such characters, only what stands before them was ever used.',
      '',
      'So the imported value is the one in force, as a rule. If logins fail with it, look at the comment beside it.',
    ],
    language,
    bad: iniFile({ defaults: 'rest-api-admin-user=admin\nrest-api-admin-pass=Vk2pe8s #wH5d' }),
    good: iniFile({ defaults: 'rest-api-admin-user=admin\nrest-api-admin-pass=Vk2pe8s-wH5d' }),
  },
  'ini-trailing-backslash': {
    title: 'A backslash at the end of a value',
    about: [
      'It came along when options were copied from a command line, where a backslash goes on in the next line. In an INI file it does not, and the tools of the product family drop it too.',
      'It is worth a look whether the next line was meant to belong to this one.',
    ],
    language,
    bad: iniFile({ defaults: 'log-level=debug \\' }),
    good: iniFile({ defaults: 'log-level=debug' }),
  },
  'ini-passive-witness': {
    title: 'A witness that would run a manager',
    about: [
      'In the product family a witness is only pinged unless `enable-active-witnesses=true` is given; any machine will do, even a router. In muster a witness is a host that gets a manager, and is connected to by SSH.',
      '',
      'If it is a machine of yours that can run one, keep it. If not, take `witnesses:` out of the YAML file and mind the number of members that remain.',
    ],
    language,
    bad: iniFile({ alpha: `${service}\nwitnesses=w1` }),
    good: iniFile({ alpha: `${service},w1\nwitnesses=w1\nenable-active-witnesses=true` }),
  },
  'ini-no-service': {
    title: 'An INI file without a data service',
    about: [
      'The import needs at least one section that names members. A file with `[defaults]` alone belongs to a set, where the services are in other files of the same folder.',
      '',
      'Put them into one file in the order in which they are read, and import that.',
    ],
    language,
    bad: '[defaults]\nlog-level=debug',
    good: iniFile({ defaults: 'log-level=debug' }),
  },
  'ini-muster-comment': {
    title: 'A comment for muster that cannot be understood',
    about: [
      '`muster export` writes what INI files have no word for as comments that start with `# muster:`, and the import reads them back. This one was changed by hand or cut off.',
      '',
      'It goes on as a plain comment. What it said is missing in the YAML file; write it there.',
    ],
    language,
    bad: `# muster: hosts.db1.address\n${iniFile({})}`,
    good: `# muster: hosts.db1.address = 10.0.0.11\n${iniFile({})}`,
  },
  'no-ini-counterpart': {
    title: 'A setting that INI files of the family do not have',
    about: [
      'The product family has no option for it, so `muster export` writes it as a comment that starts with `# muster:`. The tools of the family ignore it, and `muster import` understands it, so a file survives the way there and back.',
      '',
      'If the family is to read the file, ask what it would do without the setting; for most, such as `ssh:` and the service manager, it has ways of its own.',
    ],
  },
} satisfies Record<keyof typeof iniEntries, Explanation>
