import type { Caller } from '../../api/serve.ts'

/** Who makes a change, as payloads and state file tell it: the user, or `socket` for a caller on the host itself. */
export const authorOf = (caller: Caller): string => (caller.kind === 'user' ? caller.user : 'socket')
