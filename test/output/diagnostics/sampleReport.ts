import type { Diagnostic, Span } from '../../../src/diagnostics/diagnostic.ts'
import type { Report } from '../../../src/output/diagnostics/portable.ts'

const file = 'conf/my cluster.yaml'

const at = (line: number, column: number, endColumn: number): Span => ({
  file,
  line,
  column,
  endLine: line,
  endColumn,
})

/** What each format has to make harmless, in one text. */
export const nasty = '50%, <b>"a"</b> & \'b\': ]]>]]> \u001b[31m\u0000\u202e\u2028\ud800\r\n::error::x\t😀'

const unused = (host: string, line: number): Diagnostic => ({
  code: 'unused-host',
  severity: 'warning',
  message: `${host} belongs to no service.`,
  why: 'No component runs on it.',
  fix: 'Add it to a service, or remove it.',
  span: at(line, 3, 6),
})

/** Findings of every severity, on one line and on several, silenced and not, with nasty text. */
export const sampleReport: Report = {
  findings: [
    {
      code: 'port-clash',
      severity: 'error',
      message: 'Port 8090 is taken twice on db3.',
      why: 'Only one of the two can listen on it.',
      fix: 'Give one of them another port.',
      span: at(20, 67, 71),
      related: [{ message: 'The other one is here.', span: at(4, 26, 30) }],
    },
    unused('db4', 21),
    {
      code: 'even-managers',
      severity: 'warning',
      message: nasty,
      why: nasty,
      fix: nasty,
      span: { ...at(22, 1, 5), endLine: 24 },
    },
    {
      code: 'secret-not-resolved',
      severity: 'note',
      message: 'rest-api-admin-pass was not read.',
      why: 'It can be checked only once it is read.',
      fix: 'Set the variable.',
      span: { ...at(2, 3, 22), file: '../over,lay:100%.yml' },
    },
  ],
  silenced: [{ finding: unused('db5', 30), reason: 'bought for next year' }],
  files: [file, 'clean.yaml'],
}

/** Nothing that a terminal or a page would act on, and no half character. */
export const unseen =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff\p{Surrogate}]/u
