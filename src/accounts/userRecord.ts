/** One API user as the user file keeps it. */
export type UserRecord = {
  readonly user: string
  /** The only level that the specification shows (section 5.7). */
  readonly access: 'full'
  /** PHC string, `$scrypt$ln=14,r=8,p=5$<salt>$<hash>`. */
  readonly hash: string
}

/** The host's one user file, shared by its three components. */
export type UserFile = { readonly version: 1; readonly users: readonly UserRecord[] }
