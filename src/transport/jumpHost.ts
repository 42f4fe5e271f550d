/** A host to go through, as `ssh -J` takes it. */
export type JumpHost = {
  /** Absent: what ssh_config says, else the invoking user's own name. */
  readonly user?: string
  /** A name or an IP address, without brackets. */
  readonly host: string
  readonly port?: number
}

const form = /^(?:ssh:\/\/)?(?:([^@]+)@)?(?:\[([^\]]+)\]|([^:[\]]+))(?::(\d+))?$/

/** `[user@]host[:port]`, an IPv6 address in brackets (ssh_config(5), ProxyJump). */
export function parseJumpHost(text: string): JumpHost {
  const [, user, bracketed, plain, port] = form.exec(text) ?? []
  return {
    ...(user === undefined ? {} : { user }),
    host: bracketed ?? plain ?? text,
    ...(port === undefined ? {} : { port: Number(port) }),
  }
}

/** The hosts of a list; `none` alone is a list of none, as in ssh_config(5). */
export const parseJumpHosts = (texts: readonly string[]): readonly JumpHost[] =>
  texts.length === 1 && texts[0]?.toLowerCase() === 'none' ? [] : texts.map(parseJumpHost)
