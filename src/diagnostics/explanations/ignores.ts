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
      'The comment has the codes, parted by commas, and then the reason in your own words. Without a reason it has no effect, and the finding is reported as before.',
      '',
      'A good reason tells the next reader when the comment may go: what the exception is for, who decided it, or until when.',
    ],
    bad: spare('muster-ignore: unused-host'),
    good: judged,
  },
  'ignore-unknown-code': {
    title: 'A muster-ignore comment with a code that does not exist',
    about: [
      'Mostly a slip of the finger, or a reason that was written where the code belongs.',
      'Codes are stable: one that was right yesterday is not renamed in the next version.',
    ],
    bad: spare('muster-ignore: unused-hosts joins alpha in May'),
    good: judged,
    commands: `# every code
muster explain`,
  },
  'ignore-unused': {
    title: 'A muster-ignore comment that silences nothing',
    about: [
      'On the line that the comment is about, nothing of this code was found. Either it was put right in the meantime, and the comment can go, or the comment stands in the wrong place.',
      '',
      'Behind a value it is about that line; alone on its line, about the next one that is neither empty nor a comment.',
      'It belongs where the finding is reported, which may differ from where you would fix it: see `file:line` of the finding.',
    ],
    bad: smallFile({
      hosts: '# muster-ignore: unused-host joins alpha in May\ndb1: { address: 10.0.0.11 }',
    }),
    good: smallFile({}),
  },
  'ignore-error': {
    title: 'A muster-ignore comment for an error',
    about: [
      'Warnings and notes can be judged one way or the other, so a comment may settle them. With an error, muster does not know what to install, and no comment changes that.',
      '',
      'If you are sure that the error is a mistake of muster, report it with a scrubbed copy of the file.',
    ],
    bad: smallFile({
      defaults: 'log-level: verbose # muster-ignore: wrong-type later',
    }),
    good: smallFile({ defaults: 'log-level: debug' }),
    commands: `# a copy without secrets, names and addresses
muster config --scrub muster.yaml`,
  },
} satisfies Record<keyof typeof ignoreEntries, Explanation>
