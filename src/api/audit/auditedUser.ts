import type { UserRecord } from '../../accounts/userRecord.ts'

/** A user as the audit log tells of it: never the hash; null where there is none. */
export const auditedUser = (record: UserRecord | undefined): object | null =>
  record ? { user: record.user, access: record.access } : null
