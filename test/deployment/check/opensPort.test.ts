import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { opensPort } from '../../../src/deployment/check/opensPort.ts'

const ufw = (...tuples: readonly string[]): string =>
  tuples.map((tuple) => `### tuple ### ${tuple} 0.0.0.0/0 any 0.0.0.0/0 in\n`).join('')
const nft = (policy: string, rule: string): string =>
  `table inet filter {\n\tchain input {\n\t\ttype filter hook input priority filter; policy ${policy};\n\t\t${rule}\n\t}\n}\n`
const zone = (target: string, ports: string, rich = ''): string =>
  `public (active)\n  target: ${target}\n  services: ssh\n  ports: ${ports}\n  rich rules: \n\t${rich}\n`

describe('what rules say of port 8090', () => {
  it.each([
    ['ufw', ufw('allow tcp 22'), false],
    ['ufw', ufw('allow tcp 22', 'allow tcp 8090'), true],
    ['ufw', ufw('allow udp 8090'), false],
    ['ufw', ufw('deny tcp 8090'), false],
    ['ufw', ufw('allow any any'), true],
    ['ufw', ufw('limit tcp 22,8000:8100'), true],
    ['ufw', ufw('allow_log tcp 8090'), true],
    ['ufw', '### tuple ### allow tcp 22 8.0.9.0/8090 any 0.0.0.0/0 in\n', false],
    ['ufw', 'DEFAULT_INPUT_POLICY="ACCEPT"\n', true],
    ['ufw', 'DEFAULT_INPUT_POLICY="DROP"\n', false],
    ['firewalld', zone('default', ''), false],
    ['firewalld', zone('default', '8090/tcp'), true],
    ['firewalld', zone('default', '22/tcp 8090/udp'), false],
    ['firewalld', zone('default', '8000-8100/tcp 53/udp'), true],
    ['firewalld', zone('ACCEPT', ''), true],
    [
      'firewalld',
      zone(
        'default',
        '',
        'rule family="ipv4" source address="10.0.0.0/8" port port="8090" protocol="tcp" accept',
      ),
      true,
    ],
    ['firewalld', '', true],
    ['nftables', nft('accept', ''), true],
    ['nftables', nft('drop', 'tcp dport 22 accept'), false],
    ['nftables', nft('drop', 'tcp dport { 22, 8090 } accept'), true],
    ['nftables', nft('drop', 'tcp dport 8000-8100 accept'), true],
    ['nftables', nft('drop', 'tcp dport @open accept'), true],
    [
      'nftables',
      'table ip nat {\n\tchain forward {\n\t\ttype filter hook forward priority 0; policy drop;\n',
      true,
    ],
  ] as const)('%s: %j is %s', (kind, rules, expected) => {
    expect(opensPort({ kind, rules })(8090)).toBe(expected)
  })

  const port = fc.integer({ min: 1, max: 65535 })

  it('takes every port of a range and none beside it', () => {
    fc.assert(
      fc.property(port, port, port, (one, other, asked) => {
        const [first, last] = [Math.min(one, other), Math.max(one, other)]
        const within = first <= asked && asked <= last
        const opens = (kind: 'ufw' | 'firewalld' | 'nftables', rules: string) =>
          opensPort({ kind, rules })(asked)
        expect(opens('ufw', ufw(`allow tcp ${first}:${last}`))).toBe(within)
        expect(opens('firewalld', zone('default', `${first}-${last}/tcp`))).toBe(within)
        expect(opens('nftables', nft('drop', `tcp dport { ${first}-${last} } accept`))).toBe(within)
      }),
    )
  })
})
