import type { AccountGrants } from '../../deployment/grants.ts'

const names = { mariadb: 'MariaDB', mysql: 'MySQL' } as const

/** The SQL for the accounts that a run needs; empty where none is new. The passwords are placeholders. */
export function grantsText(grants: readonly AccountGrants[]): string {
  if (grants.length === 0) return ''
  const parts = grants.map(({ option, type, sql }) => `-- ${option}, ${names[type]}\n${sql}`)
  return `The databases need these accounts; put in the passwords that your file gives:\n\n${parts.join('\n')}`
}
