import type { yamlEntries } from '../entries/yaml.ts'
import type { Explanation } from './explanation.ts'
import { smallFile } from './smallFile.ts'

const addressBelow = smallFile({ hosts: 'db1:\n  address: 10.0.0.11' })

/** What is wrong before any option is looked at: the text is not the YAML that was meant. */
export const yamlExplanations = {
  'empty-file': {
    title: 'The file is empty or has only comments',
    about: [
      'An empty file is not taken for an empty cluster: that would look like a success where a template or a download came to nothing.',
      'The least that a configuration needs is a cluster name, one service and one host.',
    ],
    bad: `# cluster: alpha
# services:
# hosts:`,
    good: smallFile({}),
  },
  'not-a-mapping': {
    title: 'A list or a single value instead of names',
    about: [
      'A configuration has names at its outermost level: `cluster`, `defaults`, `ssh`, `services` and `hosts`.',
      'A leading `-` makes a list of it, and one line without a colon is a single text.',
      '',
      'If the file holds nothing but a password, it was probably named by mistake. Its content is not shown.',
    ],
    bad: `- cluster: alpha
- hosts:
    db1: { address: 10.0.0.11 }`,
    good: smallFile({}),
  },
  'several-documents': {
    title: 'More than one YAML document in a file',
    about: [
      'A line `---` after some content begins another document. To take the first and leave the rest unread would hide half of what you wrote, and to join them would be a guess.',
      '',
      'Two files glued together with `cat` are the usual cause, or a template in the style of Kubernetes.',
      'A file per cluster is the usual answer. For variants of one cluster, give several files: each lies over those before it.',
    ],
    bad: `${smallFile({})}
---
defaults:
  log-level: debug`,
    good: smallFile({ defaults: 'log-level: debug' }),
  },
  'nul-character': {
    title: 'A NUL character in the text',
    about: [
      'No editor writes one. Either the file was saved as UTF-16, where every second byte of English text is NUL, or it is damaged: a disk that ran full, or a machine that lost power while the file was written.',
      '',
      'Damaged files are best taken from version control again. To cut the NULs out leaves you with whatever else was lost.',
    ],
    commands: `# what it seems to be
file muster.yaml
iconv -f UTF-16LE -t UTF-8 muster.yaml > new.yaml
# the last version that was committed
git show HEAD:./muster.yaml`,
  },
  'too-deep': {
    title: 'Values nested too deep',
    about: [
      'No setting of muster needs more than five levels, and the reader stops at 64, before a file made for the purpose could exhaust its memory.',
      '',
      'A generator that indents one step further with every host does this, and so does a row of brackets that are never closed.',
      'The finding stands where the limit was passed; the cause is above it.',
    ],
  },
  'not-yaml': {
    title: 'Text that is not YAML',
    about: [
      'The reader lost the thread. Nothing of the file is used then, because the lines after the mistake may mean something else than they seem to.',
      '',
      'Look at the line that is shown and at the one above it. Common causes are a colon without a space after it, a value that holds a colon with a space (it must be quoted), a missing comma between brackets, and the marks that git leaves at a conflict (`<<<<<<<`).',
    ],
    bad: smallFile({}).replace('hosts:', 'hosts'),
    good: smallFile({}),
  },
  'not-closed': {
    title: 'A quote, bracket or brace that is never closed',
    about: [
      'The finding stands at the opening character, however far below the reader noticed.',
      '',
      "With quotes, look at the value itself: inside single quotes a single quote is written twice (`'it''s'`), inside double quotes a double quote needs a backslash.",
      'Where a list has grown over several lines, one entry per line with a leading `-` needs no brackets at all.',
    ],
    bad: smallFile({ service: 'topology: clustered\nmaster: db1\nmembers: [db1' }),
    good: smallFile({}),
  },
  'bad-indent': {
    title: 'Indentation that does not fit',
    about: [
      'The line starts neither where its neighbours start nor deeper under one of them, so it belongs to nothing.',
      'Copying from a web page or a chat is the usual cause; a single space too few is enough.',
      '',
      'Let the editor show white space, and indent by two spaces throughout.',
    ],
    bad: smallFile({ hosts: 'db1:\n  address: 10.0.0.11\n connection: local' }),
    good: smallFile({ hosts: 'db1:\n  address: 10.0.0.11\n  connection: local' }),
  },
  'tab-indent': {
    title: 'A tab as indentation',
    about: [
      'YAML forbids tabs in front of a name. On the screen such a line looks right, which makes this hard to find by eye.',
      '',
      'Set the editor to insert spaces for YAML files. An `.editorconfig` does so for everyone who works on them.',
    ],
    bad: addressBelow.replace('    address', '\taddress'),
    good: addressBelow,
    commands: `# lines with a tab in front
grep -nP '^ *\\t' muster.yaml
# replaces every tab by two spaces
expand -t 2 muster.yaml > new.yaml`,
  },
  'needs-quotes': {
    title: 'A value that must be quoted',
    about: [
      'A value that starts with `@`, `%` or a backquote is reserved by YAML. Passwords are the usual victims.',
      '',
      'Other first characters are worse, because they mean something: `#` makes the rest a comment, `*` an alias, `&` an anchor, `!` a tag, `{` and `[` a group or a list. Those have findings of their own.',
      'Single quotes keep every character as it is.',
    ],
    bad: smallFile({ defaults: 'rest-api-admin-user: admin\nrest-api-admin-pass: @Vk2-pe8s-wH5d' }),
    good: smallFile({ defaults: "rest-api-admin-user: admin\nrest-api-admin-pass: '@Vk2-pe8s-wH5d'" }),
  },
  'bad-escape': {
    title: 'An unknown escape in double quotes',
    about: [
      'Between double quotes a backslash starts an escape, such as `\\n` for a line break or `\\"` for a quote, and not every letter makes one.',
      'Between single quotes a backslash is a character like any other.',
      '',
      'Some backslashes go unnoticed: `"\\t"` is a tab. A password that is refused at the login although it "stands in the file" is worth a look at its quotes.',
    ],
    bad: smallFile({ defaults: 'rest-api-admin-user: admin\nrest-api-admin-pass: "Vk2\\pe8s-wH5d"' }),
    good: smallFile({ defaults: "rest-api-admin-user: admin\nrest-api-admin-pass: 'Vk2\\pe8s-wH5d'" }),
  },
  'duplicate-key': {
    title: 'The same name twice in one group',
    about: [
      'Most YAML readers keep the later one in silence, so that a setting further up stops counting and nobody notices. muster refuses instead.',
      '',
      'A host that was copied and not renamed does this, and so does a merge in git that brought a second `defaults:`.',
      'Where both have something to say, join them. Where two files each have the group, there is nothing wrong: the later file lies over the earlier one.',
    ],
    bad: smallFile({ hosts: 'db1: { address: 10.0.0.11 }\ndb1: { address: 10.0.0.12 }' }),
    good: smallFile({
      service: 'topology: clustered\nmaster: db1\nmembers: [db1]\nconnectors: [db2]',
      hosts: 'db1: { address: 10.0.0.11 }\ndb2: { address: 10.0.0.12 }',
    }),
  },
  'key-not-text': {
    title: 'A name that is a list or a group',
    about: [
      'YAML allows a list or a group in front of a colon; options and hosts have plain names.',
      '',
      'Often the braces are those of a template that nobody filled in: `{{ name }}:` reaches muster as it is when the step that should replace it did not run.',
    ],
    bad: smallFile({ defaults: '{{ option }}: debug' }),
    good: smallFile({ defaults: 'log-level: debug' }),
  },
  'unknown-anchor': {
    title: 'An alias without its anchor',
    about: [
      '`*name` stands for the value that was marked with `&name` further up in the same file. Anchors do not reach from one file into another.',
      '',
      'If no alias was meant, the value merely starts with an asterisk and needs single quotes. A wildcard such as `*.example.org` does that, and so does many a password.',
    ],
    bad: smallFile({ defaults: 'rest-api-allowed-hosts: *names' }),
    good: smallFile({ defaults: 'rest-api-allowed-hosts: [api.example.org]' }),
  },
  'anchor-loop': {
    title: 'An alias inside its own value',
    about: [
      'An anchor marks a whole list or group, with everything in it. An alias to it cannot stand in there, for the value would have no end.',
      '',
      'It happens when a group is extended from another (`<<: *base`) and the anchor was put on the wrong one of the two.',
    ],
    bad: smallFile({ defaults: 'rest-api-allowed-hosts: &names [a.org, *names]' }),
    good: smallFile({ defaults: 'rest-api-allowed-hosts: [a.org, b.org]' }),
  },
  'alias-bomb': {
    title: 'Aliases that multiply without end',
    about: [
      'Ten aliases to a list of ten aliases to a list of ten … : a few short lines become millions of values once they are followed.',
      'muster stops at 100,000 added values and uses nothing of the file, so a hostile pull request cannot bring a CI machine down.',
      '',
      'An honest file hardly comes near: a thousand hosts that each merge ten shared options add ten thousand.',
      'Above that, put what is shared into `defaults:` or into the `options:` of a service. They reach every host without an alias.',
    ],
  },
  'merge-not-mapping': {
    title: 'A merge of something that is no group',
    about: [
      '`<<:` copies the names of another group into this one. It takes an alias to a group, or a list of such aliases; names that the group has itself win over those that come in.',
      '',
      'Mostly the asterisk is missing, so that the name of the anchor is taken as a text.',
    ],
    bad: smallFile({
      defaults: '<<: common',
    }),
    good: smallFile({
      defaults: '<<: &common { log-level: debug }',
    }),
  },
  'unknown-tag': {
    title: 'A tag that has no meaning here',
    about: [
      'A word that starts with `!` says how to read the value after it. muster knows `!env`, `!file` and `!exec`, and those only where a secret is expected; tags of other tools, such as `!vault` or `!Ref`, are not its own.',
      '',
      'If the exclamation mark belongs to the value, as in a password, put the value in single quotes.',
    ],
    bad: smallFile({ defaults: 'rest-api-admin-user: admin\nrest-api-admin-pass: !envv ADMIN_PASS' }),
    good: smallFile({ defaults: 'rest-api-admin-user: admin\nrest-api-admin-pass: !env ADMIN_PASS' }),
  },
} satisfies Record<keyof typeof yamlEntries, Explanation>
