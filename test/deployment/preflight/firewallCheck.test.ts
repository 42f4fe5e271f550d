import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Subject } from '../../../src/deployment/preflight/checkContract.ts'
import type { ObservedFirewall } from '../../../src/deployment/preflight/observe.ts'
import { reasons, subject, verdicts } from './values.ts'

const behind = (firewall: ObservedFirewall, port = 8090): Subject => {
  const open = { component: 'manager' as const, enabled: true, address: '0.0.0.0', port }
  return subject({
    host: { apis: [open, { ...open, component: 'connector', address: '127.0.0.1', port: 8096 }] },
    observed: { firewall },
  })
}

const ufw = (...tuples: readonly string[]): string =>
  tuples.map((tuple) => `### tuple ### ${tuple} 0.0.0.0/0 any 0.0.0.0/0 in\n`).join('')
const nft = (policy: string, rule: string): string =>
  `table inet filter {\n\tchain input {\n\t\ttype filter hook input priority filter; policy ${policy};\n\t\t${rule}\n\t}\n}\n`
const zone = (target: string, ports: string, rich = ''): string =>
  `public (active)\n  target: ${target}\n  services: ssh\n  ports: ${ports}\n  rich rules: \n\t${rich}\n`

describe('the firewall check', () => {
  it('names ports of other clients that no rule opens', () => {
    const [first] = verdicts('firewall', [behind({ kind: 'ufw', rules: ufw('allow tcp 22') })])
    expect(first).toEqual({
      result: 'warning',
      reason: 'ufw is active and seems to block port 8090',
      fix: 'Open the ports that clients use: `ufw allow proto tcp to any port 8090`. Ignore this if another rule already allows them.',
    })
    expect(reasons('firewall', [behind({ kind: 'ufw', rules: ufw('allow tcp 8090') })])).toEqual([
      'ok: ufw is active, and no rule seems to block the ports',
    ])
  })

  it('reports that it needs root', () => {
    expect(reasons('firewall', [subject({ facts: { uid: 1000 } })])).toEqual(['ok: not checked: needs root'])
  })

  const opens = (firewall: ObservedFirewall, port: number): boolean =>
    verdicts('firewall', [behind(firewall, port)])[0]?.result === 'ok'

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
  ] as const)('parses rules of %s, %j: port 8090 is open: %s', (kind, rules, expected) => {
    expect(opens({ kind, rules }, 8090)).toBe(expected)
  })

  const port = fc.integer({ min: 1, max: 65535 })

  it('accepts every port of a range and no other', () => {
    fc.assert(
      fc.property(port, port, port, (one, other, asked) => {
        const [first, last] = [Math.min(one, other), Math.max(one, other)]
        const within = first <= asked && asked <= last
        const isOpen = (kind: ObservedFirewall['kind'], rules: string) => opens({ kind, rules }, asked)
        expect(isOpen('ufw', ufw(`allow tcp ${first}:${last}`))).toBe(within)
        expect(isOpen('firewalld', zone('default', `${first}-${last}/tcp`))).toBe(within)
        expect(isOpen('nftables', nft('drop', `tcp dport { ${first}-${last} } accept`))).toBe(within)
      }),
    )
  })
})
