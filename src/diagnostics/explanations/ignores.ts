import type { ignoreEntries } from '../entries/ignores.ts'
import type { Explanation } from './explanation.ts'
import { smallFile } from './smallFile.ts'

const spare = (...comment: readonly string[]): string =>
  smallFile({
    hosts: [
      'db1: { address: 10.0.0.11 }',
      ...comment.map((line) => `# ${line}`),
      'db2: { address: 10.0.0.12 }',
    ].join('\n'),
  })

const judged = spare('muster-ignore: unused-host joins alpha in May')

/** What is wrong with a comment that silences findings. */
export const ignoreExplanations = {
  'ignore-without-reason': {
    title: 'A muster-ignore comment without a reason',
    about: [
      'The comment has the codes, separated by commas, and then the reason in your own words. Without a reason it has no effect, and the finding is still reported.',
      '',
      'A good reason shows the next reader when the comment can be removed: what the exception is for, who decided it, or until when.',
    ],
    bad: spare('muster-ignore: unused-host'),
    good: judged,
  },
  'ignore-unknown-code': {
    title: 'A muster-ignore comment with a code that does not exist',
    about: [
      'Usually a typing error, or a reason in the place of the code.',
      'Codes are stable: they are not renamed in later versions.',
    ],
    bad: spare('muster-ignore: unused-hosts joins alpha in May'),
    good: judged,
    commands: `# every code
muster explain`,
  },
  'ignore-unused': {
    title: 'A muster-ignore comment that silences nothing',
    about: [
      'There is no finding with this code on the line of the comment. Either it was fixed, and the comment can be removed, or the comment is in the wrong place.',
      '',
      'After a value, the comment applies to that line; alone on its line, to the next line that is neither empty nor a comment.',
      'Put it where the finding is reported, which may not be where you fix it: see `file:line` of the finding.',
    ],
    bad: smallFile({
      hosts: '# muster-ignore: unused-host joins alpha in May\ndb1: { address: 10.0.0.11 }',
    }),
    good: smallFile({}),
  },
  'ignore-error': {
    title: 'A muster-ignore comment for an error',
    about: [
      'A comment can silence warnings and notes. With an error, muster does not know what to install, so a comment cannot silence it.',
      '',
      'If you think that the error is a bug in muster, report it with a scrubbed copy of the file.',
    ],
    bad: smallFile({
      defaults: 'log-level: verbose # muster-ignore: wrong-type later',
    }),
    good: smallFile({ defaults: 'log-level: debug' }),
    commands: `# a copy without secrets, names and addresses
muster config --scrub muster.yaml`,
  },
} satisfies Record<keyof typeof ignoreEntries, Explanation>
