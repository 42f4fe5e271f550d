import type { Example } from '../../cli/help/helpText.ts'

/** Returns two examples of a command that reads, such as `service status`. */
export const readExamples = (words: string): readonly Example[] => [
  ['Ask one host', `tapi --host db1 --user admin ${words}`],
  ['Print its answer as JSON', `tapi --host db1 --user admin --json ${words}`],
]

/** Returns two examples of a command that changes a host, such as `service offline`. */
export const changeExamples = (words: string): readonly Example[] => [
  ['Do it on one host, after a question', `tapi --host db1 --user admin ${words}`],
  ['Do it on every host of the cluster', `tapi --all --user admin ${words}`],
]
