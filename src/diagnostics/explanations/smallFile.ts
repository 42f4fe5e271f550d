const indented = (text: string, by: number): string =>
  text
    .split('\n')
    .map((line) => `${' '.repeat(by)}${line}`)
    .join('\n')

const group = (name: string, lines: string | undefined): readonly string[] =>
  lines === undefined ? [] : [`${name}:`, indented(lines, 2)]

/**
 * A file of one host that is good as it stands, for an example to put its own lines into. What is given holds
 * the lines of a group, without their indentation.
 */
export function smallFile(given: {
  readonly defaults?: string
  readonly ssh?: string
  /** In place of the one service's own lines. */
  readonly service?: string
  /** In place of the one host. */
  readonly hosts?: string
}): string {
  const service = given.service ?? 'topology: clustered\nmaster: db1\nmembers: [db1]'
  return [
    'cluster: alpha',
    ...group('defaults', given.defaults),
    ...group('ssh', given.ssh),
    ...group('services', `alpha:\n${indented(service, 2)}`),
    ...group('hosts', given.hosts ?? 'db1: { address: 10.0.0.11 }'),
  ].join('\n')
}
