/** Options of accounts in the databases. */
export const accountOptions = ['replication-user', 'monitor-user'] as const

export type AccountOption = (typeof accountOptions)[number]

/** One login that `muster-api try-databases` tried; without `error` it went well. */
export type DatabaseLogin = {
  readonly option: AccountOption
  /** Where the database listens, such as `127.0.0.1:3306`. */
  readonly place: string
  /** Sentences of the component or the database; they name the account but no password. */
  readonly error?: string
  /** Set where the database itself did not let the account in; otherwise it was not reached. */
  readonly refused?: true
}
