const quoted = (text: string): string => `'${text.replaceAll(/[\\']/g, '\\$&')}'`

/** The SQL that makes an account with exactly these global privileges; each line says what its privilege is for. */
export function accountGrants(account: {
  readonly user: string
  /** The address that the account logs in from. */
  readonly from: string
  /** The option that holds its password. */
  readonly option: string
  readonly needed: readonly (readonly [privilege: string, statements: string])[]
}): string {
  const { user, from, option, needed } = account
  const name = `${quoted(user)}@${quoted(from)}`
  return [
    '-- Run this on the primary: replication carries it to the replicas.',
    '-- Where no replication runs yet, run it there too; a second time does no harm.',
    `CREATE USER IF NOT EXISTS ${name} IDENTIFIED BY '<${option}>';`,
    ...needed.map(([privilege, statements]) => `GRANT ${privilege} ON *.* TO ${name}; -- for ${statements}`),
    '',
  ].join('\n')
}
