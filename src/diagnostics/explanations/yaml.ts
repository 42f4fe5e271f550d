import type { yamlEntries } from '../entries/yaml.ts'
import type { Explanation } from './explanation.ts'
import { smallFile } from './smallFile.ts'

const addressBelow = smallFile({ hosts: 'db1:\n  address: 10.0.0.11' })

/** What is wrong before any option is looked at: the text is not the YAML that was meant. */
export const yamlExplanations = {
  'empty-file': {
    title: 'The file is empty or has only comments',
    about: [
      'An empty file is not an empty cluster: that would hide a failed template or download.',
      'A configuration needs at least a cluster name, one service and one host.',
    ],
    bad: `# cluster: alpha
# services:
# hosts:`,
    good: smallFile({}),
  },
  'not-a-mapping': {
    title: 'A list or a single value instead of names',
    about: [
      'The top level of a configuration has names: `cluster`, `defaults`, `ssh`, `services` and `hosts`.',
      'A leading `-` makes it a list, and one line without a colon is a single text.',
      '',
      'If the file contains only a password, it was probably passed by mistake. Its content is not shown.',
    ],
    bad: `- cluster: alpha
- hosts:
    db1: { address: 10.0.0.11 }`,
    good: smallFile({}),
  },
  'several-documents': {
    title: 'More than one YAML document in a file',
    about: [
      'A line `---` after some content starts another document. Reading only the first would ignore half of the file, and merging them would be a guess.',
      '',
      'The usual cause is two files joined with `cat`, or a template in the style of Kubernetes.',
      'Use one file per cluster. For variants of one cluster, pass several files: each overrides those before it.',
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
      'Either the file was saved as UTF-16, where every second byte of English text is NUL, or it is damaged: the disk was full, or the power failed while the file was written.',
      '',
      'Restore a damaged file from version control. Removing only the NUL characters does not restore other damage.',
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
      'No setting of muster needs more than five levels. The reader stops at 64, so that a hostile file cannot use up its memory.',
      '',
      'Common causes: a generator that indents each host one step further, or a row of unclosed brackets.',
      'The finding is where the limit was exceeded; the cause is above it.',
    ],
  },
  'not-yaml': {
    title: 'Text that is not YAML',
    about: [
      'The file could not be parsed. None of it is used, because the lines after the mistake may not mean what they seem to.',
      '',
      'Check the line that is shown and the one above it. Common causes are a colon without a space after it, a value that contains a colon and a space (it must be quoted), a missing comma between brackets, and git conflict markers (`<<<<<<<`).',
    ],
    bad: smallFile({}).replace('hosts:', 'hosts'),
    good: smallFile({}),
  },
  'not-closed': {
    title: 'A quote, bracket or brace that is never closed',
    about: [
      'The finding is at the opening character.',
      '',
      "For quotes, check the value: inside single quotes a single quote is written twice (`'it''s'`), inside double quotes a double quote needs a backslash.",
      'A list over several lines needs no brackets: write one entry per line with a leading `-`.',
    ],
    bad: smallFile({ service: 'topology: clustered\nmaster: db1\nmembers: [db1' }),
    good: smallFile({}),
  },
  'bad-indent': {
    title: 'Wrong indentation',
    about: [
      'The line is neither aligned with its neighbours nor indented under one of them, so its group is not clear.',
      'The usual cause is text copied from a web page or a chat; one missing space is enough.',
      '',
      'Show white space in the editor, and indent by two spaces everywhere.',
    ],
    bad: smallFile({ hosts: 'db1:\n  address: 10.0.0.11\n connection: local' }),
    good: smallFile({ hosts: 'db1:\n  address: 10.0.0.11\n  connection: local' }),
  },
  'tab-indent': {
    title: 'A tab as indentation',
    about: [
      'YAML does not allow tabs before a name. On the screen such a line looks right.',
      '',
      'Set the editor to insert spaces in YAML files. An `.editorconfig` does so for everyone.',
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
      'YAML reserves `@`, `%` and the backquote at the start of a value. This often affects passwords.',
      '',
      'Other first characters have a special meaning: `#` makes the rest a comment, `*` an alias, `&` an anchor, `!` a tag, `{` and `[` a group or a list. They have their own findings.',
      'Single quotes keep every character as it is.',
    ],
    bad: smallFile({ defaults: 'rest-api-admin-user: admin\nrest-api-admin-pass: @Vk2-pe8s-wH5d' }),
    good: smallFile({ defaults: "rest-api-admin-user: admin\nrest-api-admin-pass: '@Vk2-pe8s-wH5d'" }),
  },
  'bad-escape': {
    title: 'An unknown escape in double quotes',
    about: [
      'Between double quotes a backslash starts an escape, such as `\\n` for a line break or `\\"` for a quote, but not every letter does.',
      'Between single quotes a backslash has no special meaning.',
      '',
      'Some backslashes are not reported: `"\\t"` is a tab. If a login fails with a password from the file, check its quotes.',
    ],
    bad: smallFile({ defaults: 'rest-api-admin-user: admin\nrest-api-admin-pass: "Vk2\\pe8s-wH5d"' }),
    good: smallFile({ defaults: "rest-api-admin-user: admin\nrest-api-admin-pass: 'Vk2\\pe8s-wH5d'" }),
  },
  'duplicate-key': {
    title: 'The same name twice in one group',
    about: [
      'Most YAML readers silently use the later one and ignore the setting above it. muster reports an error instead.',
      '',
      'Common causes: a host that was copied but not renamed, or a git merge that added a second `defaults:`.',
      'If both have settings that you need, merge them. The same group in two files is fine: the later file overrides the earlier one.',
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
      'YAML allows a list or a group before a colon, but options and hosts have plain names.',
      '',
      'Often the braces are from a template that was not filled in: `{{ name }}:` stays in the file if the step that replaces it did not run.',
    ],
    bad: smallFile({ defaults: '{{ option }}: debug' }),
    good: smallFile({ defaults: 'log-level: debug' }),
  },
  'unknown-anchor': {
    title: 'An alias without its anchor',
    about: [
      '`*name` stands for the value marked with `&name` above it in the same file. Anchors do not work across files.',
      '',
      'If no alias was meant, the value starts with an asterisk and needs single quotes, for example a wildcard such as `*.example.org` or a password.',
    ],
    bad: smallFile({ defaults: 'rest-api-allowed-hosts: *names' }),
    good: smallFile({ defaults: 'rest-api-allowed-hosts: [api.example.org]' }),
  },
  'anchor-loop': {
    title: 'An alias inside its own value',
    about: [
      'An anchor marks a whole list or group, with all its contents. An alias to it cannot be inside it, because the value would be endless.',
      '',
      'The usual cause is a group that extends another (`<<: *base`) with the anchor on the wrong one of the two.',
    ],
    bad: smallFile({ defaults: 'rest-api-allowed-hosts: &names [a.org, *names]' }),
    good: smallFile({ defaults: 'rest-api-allowed-hosts: [a.org, b.org]' }),
  },
  'alias-bomb': {
    title: 'Aliases that expand to too many values',
    about: [
      'Ten aliases to a list of ten aliases to a list of ten … : a few short lines can expand to millions of values.',
      'muster stops at 100,000 added values and uses none of the file, so a hostile pull request cannot crash a CI machine.',
      '',
      'A normal file stays far below: a thousand hosts that each merge ten shared options add ten thousand.',
      'Above that, put shared options in `defaults:` or in the `options:` of a service. They apply to every host without an alias.',
    ],
  },
  'merge-not-mapping': {
    title: 'A merge of a value that is not a group',
    about: [
      '`<<:` copies the names of another group into this one. It takes an alias to a group, or a list of such aliases; names in the group itself override the merged ones.',
      '',
      'Often the asterisk is missing, so the name of the anchor is read as a text.',
    ],
    bad: smallFile({
      defaults: '<<: common',
    }),
    good: smallFile({
      defaults: '<<: &common { log-level: debug }',
    }),
  },
  'unknown-tag': {
    title: 'An unknown tag',
    about: [
      'A word that starts with `!` says how to read the value after it. muster knows `!env`, `!file` and `!exec`, and only where a secret is expected; it does not support tags of other tools, such as `!vault` or `!Ref`.',
      '',
      'If the exclamation mark is part of the value, as in a password, put the value in single quotes.',
    ],
    bad: smallFile({ defaults: 'rest-api-admin-user: admin\nrest-api-admin-pass: !envv ADMIN_PASS' }),
    good: smallFile({ defaults: 'rest-api-admin-user: admin\nrest-api-admin-pass: !env ADMIN_PASS' }),
  },
} satisfies Record<keyof typeof yamlEntries, Explanation>
