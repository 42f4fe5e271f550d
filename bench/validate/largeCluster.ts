/** A thousand hosts in a hundred services, every host with options of its own; one port clash, in host 997. */
export type LargeCluster = {
  readonly text: string
  /** Line of the port that clashes, 1-based. */
  readonly clashLine: number
}

const hostCount = 1000
const hostsPerService = 10
const clashing = 997

const servicesText = (names: readonly string[]): string =>
  Array.from({ length: hostCount / hostsPerService }, (_, index) => {
    const hosts = names.slice(index * hostsPerService, (index + 1) * hostsPerService)
    const members = hosts.slice(0, -1).join(', ')
    return [
      `  s${index + 1}:`,
      '    topology: clustered',
      `    master: ${hosts[0]}`,
      `    members: [${members}]`,
      `    witnesses: [${hosts.at(-1)}]`,
      `    connectors: [${hosts.join(', ')}]`,
      '    options: { log-level: warn }',
    ].join('\n')
  }).join('\n')

function hostText(name: string, index: number): string {
  const manager = 18_000 + index
  const connector = index + 1 === clashing ? manager : 20_000 + index
  return [
    `  ${name}:`,
    `    address: 10.1.${Math.floor(index / 250)}.${(index % 250) + 1}`,
    '    ssh: { port: 2222 }',
    '    options:',
    `      manager-rest-api-port: ${manager}`,
    `      connector-rest-api-port: ${connector}`,
    '      log-level: debug',
  ].join('\n')
}

/** The same text on every run. */
export function largeCluster(): LargeCluster {
  const names = Array.from({ length: hostCount }, (_, index) => `db${index + 1}`)
  const text = [
    'cluster: large',
    'defaults:',
    '  rest-api-admin-user: admin',
    '  rest-api-admin-pass: !env ADMIN_PASS',
    '  manager-rest-api-address: 0.0.0.0',
    '  connector-rest-api-address: 0.0.0.0',
    'ssh: { user: ops, become: true }',
    'services:',
    servicesText(names),
    'hosts:',
    ...names.map(hostText),
    '',
  ].join('\n')
  const lines = text.split('\n')
  const clashLine = lines.indexOf(`      connector-rest-api-port: ${18_000 + clashing - 1}`) + 1
  return { text, clashLine }
}
