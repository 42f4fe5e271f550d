/** Protocol of the Upgrade header (RFC 9110 section 7.8) of streams between hosts. */
export const streamProtocol = 'muster-stream'

/** Path of a stream. */
export const streamPath = (id: string): string => `/muster/stream/${id}`

/** Header with the name of the host that a stream is for. */
export const streamTarget = 'muster-to'

/** Returns the id in the path of a stream, a UUID (RFC 9562); undefined for any other path. */
export const streamId = (path: string): string | undefined =>
  /^\/muster\/stream\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.exec(path)?.[1]
